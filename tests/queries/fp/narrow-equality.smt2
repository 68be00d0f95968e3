; A narrow equation that random draws do not meet.
;@ decides = ["bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float64)
(assert (= (fp.mul RNE x ((_ to_fp 11 53) RNE 3.0)) ((_ to_fp 11 53) RNE 0.75)))
(check-sat)
