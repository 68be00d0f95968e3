; Only the zeros are equal and not identical.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.eq x y))
(assert (distinct x y))
(assert (not (fp.isZero x)))
(check-sat)
