; Adding one changes nothing from 2^53 on.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float64)
(assert (fp.gt x ((_ to_fp 11 53) RNE 0.0)))
(assert (not (fp.isInfinite x)))
(assert (fp.eq (fp.add RNE x ((_ to_fp 11 53) RNE 1.0)) x))
(assert (fp.lt x ((_ to_fp 11 53) RNE 10000000000000000.0)))
(check-sat)
