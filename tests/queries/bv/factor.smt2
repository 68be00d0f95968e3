; A product with two large factors.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const p (_ BitVec 32))
(declare-const q (_ BitVec 32))
(assert (= (bvmul p q) #x0000f62b))
(assert (and (bvult #x00000001 p) (bvult p #x00001000)))
(assert (and (bvult #x00000001 q) (bvult q #x00001000)))
(check-sat)
