; A pop takes the integers back, and the rest is bit-vectors again.
;@ decides = ["z3"]
(set-logic ALL)
(declare-const x (_ BitVec 8))
(push 1)
(declare-const n Int)
(assert (= (* n n) 2))
(set-info :status unsat)
(check-sat)
(pop 1)
(assert (= (bvmul x x) #x51))
(set-info :status sat)
(check-sat)
