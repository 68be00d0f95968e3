; abs and neg work on the sign alone.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float64)
(assert (or (fp.isNegative (fp.abs x)) (distinct (fp.neg (fp.neg x)) x)
            (distinct (fp.isNegative x) (fp.isPositive (fp.neg x)))))
(check-sat)
