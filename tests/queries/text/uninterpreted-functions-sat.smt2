; A function as part of the model.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_UFBV)
(set-info :status sat)
(declare-fun f ((_ BitVec 8)) (_ BitVec 8))
(declare-const x (_ BitVec 8))
(assert (= (f x) #x01))
(assert (= (f (f x)) #x02))
(check-sat)
