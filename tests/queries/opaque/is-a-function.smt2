; Equal arguments, equal results: no search is needed to refute this.
;@ decides = ["z3"]
(set-logic QF_UFFP)
(set-info :status unsat)
(set-info :symcrete-opaque exp)
(declare-fun exp (Float64) Float64)
(declare-const x Float64)
(assert (distinct (exp x) (exp x)))
(check-sat)
