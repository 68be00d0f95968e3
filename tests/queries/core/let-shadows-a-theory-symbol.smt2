; A bound variable may have the name of a rounding mode.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(assert (let ((RNE (bvadd x #x01))) (= RNE #x00)))
(check-sat)
