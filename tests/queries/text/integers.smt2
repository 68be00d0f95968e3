; Integers.
;@ decides = ["z3"]
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (* 3 x) (* 5 y)) 7))
(assert (> x 10))
(check-sat)
