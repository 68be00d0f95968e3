; Calls of constants are folded.
;@ decides = ["z3"]
(set-logic QF_UFFP)
(set-info :status unsat)
(set-info :symcrete-opaque sin)
(declare-fun sin (Float64) Float64)
(assert (distinct (sin (_ +zero 11 53)) (_ +zero 11 53)))
(check-sat)
