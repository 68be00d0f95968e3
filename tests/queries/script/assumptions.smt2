; Assumptions hold for one question.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(declare-const p Bool)
(declare-const q Bool)
(assert (or p q))
(set-info :status unsat)
(check-sat-assuming ((not p) (not q)))
(set-info :status sat)
(check-sat-assuming ((not p)))
(set-info :status sat)
(check-sat)
