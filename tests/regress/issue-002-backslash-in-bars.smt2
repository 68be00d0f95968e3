; SMT-LIB forbids a backslash between bars, but scripts of its own library have it.
;@ decides = ["enumerate"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const |a\b| (_ BitVec 4))
(assert (bvult |a\b| #x0))
(check-sat)
