; An uninterpreted function.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_UFBV)
(set-info :status unsat)
(declare-fun f ((_ BitVec 8)) (_ BitVec 8))
(declare-const x (_ BitVec 8))
(assert (distinct (f x) (f (bvnot (bvnot x)))))
(check-sat)
