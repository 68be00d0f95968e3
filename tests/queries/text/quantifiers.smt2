; A quantifier.
;@ decides = ["z3"]
(set-logic BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (forall ((y (_ BitVec 8))) (bvule x y)))
(assert (distinct x #x00))
(check-sat)
