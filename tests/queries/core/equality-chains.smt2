; = with three arguments equates all of them.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const z (_ BitVec 8))
(assert (= x y z))
(assert (distinct x z))
(check-sat)
