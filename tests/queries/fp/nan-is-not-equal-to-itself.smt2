; fp.eq and = differ on NaN.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float64)
(assert (not (fp.eq x x)))
(assert (= x x))
(assert (not (fp.isNaN x)))
(check-sat)
