; An inner let hides an outer one, and only inside its body.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (let ((y #x01)) (not (and (let ((y #x02)) (= y #x02)) (= y #x01)))))
(check-sat)
