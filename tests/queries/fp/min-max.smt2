; min and max ignore a NaN, and order the rest.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float64)
(declare-const y Float64)
(assert (not (and (=> (fp.isNaN x) (= (fp.min x y) y)) (=> (fp.isNaN y) (= (fp.max x y) x))
                  (=> (fp.lt x y) (and (= (fp.min x y) x) (= (fp.max x y) y))))))
(check-sat)
