; fp.eq and = differ on the zeros too.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.eq x y))
(assert (distinct x y))
(assert (fp.isNegative x))
(check-sat)
