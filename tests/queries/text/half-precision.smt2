; Floats of 16 bits, in which two has a square root.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float16)
(assert (fp.eq (fp.mul RNE x x) ((_ to_fp 5 11) RNE 2.0)))
(check-sat)
