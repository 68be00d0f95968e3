; After a pop a name can be declared again with another sort.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(push)
(declare-const x (_ BitVec 8))
(assert (= x #x01))
(set-info :status sat)
(check-sat)
(pop)
(declare-const x Bool)
(assert (and x (not x)))
(set-info :status unsat)
(check-sat)
