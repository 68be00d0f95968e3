; A let at the place of a call is not in sight in the called body.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const g Bool)
(define-fun f ((x Bool)) Bool (and x g))
(assert g)
(assert (let ((g false)) (not (f true))))
(check-sat)
