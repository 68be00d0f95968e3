; An array as part of the model.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_ABV)
(set-info :status sat)
(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))
(declare-const i (_ BitVec 8))
(assert (= (select a i) #x07))
(assert (= (select a (bvadd i #x01)) #x09))
(check-sat)
