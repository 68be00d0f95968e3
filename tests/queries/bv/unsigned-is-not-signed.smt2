; A number below another in one reading and above it in the other.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 64))
(declare-const y (_ BitVec 64))
(assert (bvult x y))
(assert (bvsgt x y))
(check-sat)
