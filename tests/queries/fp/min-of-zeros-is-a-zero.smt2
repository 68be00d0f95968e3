; The minimum of the two zeros is one of them.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(assert (= x (fp.min (_ -zero 8 24) (_ +zero 8 24))))
(assert (not (fp.isZero x)))
(check-sat)
