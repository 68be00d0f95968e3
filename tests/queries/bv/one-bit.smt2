; Everything at width one.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 1))
(assert (not (and (= (bvadd x x) #b0) (= (bvneg x) x) (= (bvudiv x x) #b1) (= (bvmul x x) x)
                  (= ((_ rotate_left 5) x) x) (= (bvslt x #b0) (= x #b1)))))
(check-sat)
