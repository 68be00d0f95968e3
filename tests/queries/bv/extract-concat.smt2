; Pieces put together again.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 32))
(assert (distinct x (concat ((_ extract 31 24) x) ((_ extract 23 8) x) ((_ extract 7 0) x))))
(check-sat)
