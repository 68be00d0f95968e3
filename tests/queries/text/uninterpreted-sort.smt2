; Three values of an uninterpreted sort with a function between them.
;@ decides = ["z3"]
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(declare-fun f (U) U)
(declare-const a U)
(declare-const b U)
(assert (distinct a b (f a)))
(assert (= (f (f a)) b))
(check-sat)
