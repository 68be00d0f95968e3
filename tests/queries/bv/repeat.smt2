; Repetition is concatenation with itself.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 5))
(assert (or (distinct ((_ repeat 3) x) (concat x x x)) (distinct ((_ repeat 1) x) x)))
(check-sat)
