; A sort that is declared and never used does not take the script out of our terms.
;@ decides = ["enumerate"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-sort U 0)
(declare-const x (_ BitVec 4))
(assert (= (bvmul x x) #x2))
(check-sat)
