; Reals.
;@ decides = ["z3"]
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(assert (and (< 0.0 x) (< x (/ 1.0 3.0)) (= (* 4.0 x) 1.5)))
(check-sat)
