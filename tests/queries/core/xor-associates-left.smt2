; xor of three holds when an odd number of them does.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (distinct (xor a b c) (= (= a b) c)))
(check-sat)
