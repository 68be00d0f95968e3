; bvadd, bvmul, bvand, bvor and bvxor take many arguments.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (or (distinct (bvadd x x x x) (bvmul x #x02 #x02)) (distinct (bvand x x x) x)
            (distinct (bvor x x #x00 x) x) (distinct (bvxor x x x) x)))
(check-sat)
