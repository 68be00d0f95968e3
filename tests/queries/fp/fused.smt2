; A fused product and sum is rounded once.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) RNE 1.00000011920928955078125)))
(assert (= (fp.fma RNE x x (fp.neg (fp.mul RNE x x))) (fp.sub RNE (fp.mul RNE x x) (fp.mul RNE x x))))
(check-sat)
