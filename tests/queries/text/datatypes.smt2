; A datatype.
;@ decides = ["z3"]
(set-logic ALL)
(set-info :status unsat)
(declare-datatype Colour ((red) (green)))
(declare-const a Colour)
(declare-const b Colour)
(declare-const c Colour)
(assert (distinct a b c))
(check-sat)
