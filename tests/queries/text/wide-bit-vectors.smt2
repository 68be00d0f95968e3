; 128 bits go to the solvers as text.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 128))
(assert (= (bvmul x x) (_ bv100000000000000000000 128)))
(assert (bvult x (_ bv20000000000 128)))
(check-sat)
