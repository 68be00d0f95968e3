; bvcomp is equality as a bit.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 16))
(assert (= (bvcomp x #x1234) #b1))
(assert (distinct x #x1234))
(check-sat)
