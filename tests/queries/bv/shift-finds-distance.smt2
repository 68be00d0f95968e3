; A shift by a variable.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const n (_ BitVec 32))
(assert (= (bvshl #x00000001 n) #x00010000))
(check-sat)
