; bvsrem takes the sign of the dividend, bvsmod that of the divisor.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= x (bvneg #x07)))
(assert (= y #x03))
(assert (not (and (= (bvsrem x y) (bvneg #x01)) (= (bvsmod x y) #x02)
                  (= (bvsrem (bvneg x) (bvneg y)) #x01) (= (bvsmod (bvneg x) (bvneg y)) (bvneg #x02)))))
(check-sat)
