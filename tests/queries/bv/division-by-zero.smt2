; x / 0 is all ones, x % 0 is x, and the signed ones follow from them.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (not (and (= (bvudiv x #x00) #xff)
                  (= (bvurem x #x00) x)
                  (= (bvsdiv x #x00) (ite (bvslt x #x00) #x01 #xff))
                  (= (bvsrem x #x00) x)
                  (= (bvsmod x #x00) x))))
(check-sat)
