; Rotations by constants, also by more than the width.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (not (and (= ((_ rotate_left 3) #b10010110) #b10110100)
                  (= ((_ rotate_right 3) #b10010110) #b11010010)
                  (= ((_ rotate_left 11) x) ((_ rotate_left 3) x))
                  (= ((_ rotate_right 8) x) x)
                  (= ((_ rotate_left 3) ((_ rotate_right 3) x)) x))))
(check-sat)
