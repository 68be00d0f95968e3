; A named term can be used by its name.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (! (bvult x #x10) :named low))
(assert (= low (! (bvugt x #x0e) :named high)))
(assert (distinct x #x0f))
(check-sat)
