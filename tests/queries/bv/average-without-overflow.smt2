; The average of two numbers, without and with the overflow.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(assert (distinct (bvadd (bvand x y) (bvlshr (bvxor x y) #x00000001)) (bvlshr (bvadd x y) #x00000001)))
(check-sat)
