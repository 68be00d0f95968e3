; a => b => c is a => (b => c): false => false => false is true.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(assert (not (=> false false false)))
(check-sat)
