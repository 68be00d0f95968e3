; The minimum of the two zeros is open, but always the same.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (= x (_ -zero 8 24)))
(assert (= y (_ +zero 8 24)))
(assert (distinct (fp.max x y) (fp.max (_ -zero 8 24) (_ +zero 8 24))))
(check-sat)
