; Half of the least normal float is subnormal, and not zero.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(assert (= x (fp.div RNE (fp #b0 #x01 #b00000000000000000000000) ((_ to_fp 8 24) RNE 2.0))))
(assert (not (fp.isSubnormal x)))
(check-sat)
