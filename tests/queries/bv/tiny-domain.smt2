; Small enough to be searched completely: no square of four bits is 3.
;@ decides = ["z3", "bitwuzla", "enumerate"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 4))
(assert (= (bvmul x x) #x3))
(check-sat)
