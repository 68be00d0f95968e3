; A shift by the width or more leaves zeros, or copies of the sign.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const n (_ BitVec 8))
(assert (bvuge n #x08))
(assert (or (distinct (bvshl x n) #x00) (distinct (bvlshr x n) #x00)
            (distinct (bvashr x n) (ite (bvslt x #x00) #xff #x00))))
(check-sat)
