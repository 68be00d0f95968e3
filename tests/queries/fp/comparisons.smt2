; Comparisons with NaN are false, and gt and geq are lt and leq turned round.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (not (and (= (fp.lt x y) (fp.gt y x)) (= (fp.leq x y) (fp.geq y x))
                  (=> (fp.isNaN x) (not (or (fp.lt x y) (fp.leq x y) (fp.gt x y) (fp.geq x y) (fp.eq x y)))))))
(check-sat)
