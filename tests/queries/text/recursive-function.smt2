; A recursive function.
;@ decides = ["z3"]
(set-logic ALL)
(set-info :status unsat)
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(assert (distinct (sum 4) 10))
(check-sat)
