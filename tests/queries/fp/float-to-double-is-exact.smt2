; Widening loses nothing, in any mode.
;@ decides = ["bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const r RoundingMode)
(assert (distinct x ((_ to_fp 8 24) r ((_ to_fp 11 53) r x))))
(check-sat)
