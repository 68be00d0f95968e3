; nand, nor and xnor are complements.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(assert (or (distinct (bvnand x y) (bvnot (bvand x y))) (distinct (bvnor x y) (bvnot (bvor x y)))
            (distinct (bvxnor x y) (bvnot (bvxor x y)))))
(check-sat)
