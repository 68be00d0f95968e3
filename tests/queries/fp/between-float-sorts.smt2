; A double through a float and back.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float64)
(define-fun via ((v Float64)) Float64 ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE v)))
(assert (not (fp.isInfinite x)))
(assert (fp.isInfinite (via x)))
(check-sat)
