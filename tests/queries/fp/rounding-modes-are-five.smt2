; A rounding mode that is none of the five does not exist.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const r RoundingMode)
(assert (distinct r RNE RNA RTP RTN RTZ))
(check-sat)
