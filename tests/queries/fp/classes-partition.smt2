; Every float is in exactly one class.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float64)
(define-fun n ((b Bool)) (_ BitVec 4) (ite b #x1 #x0))
(assert (distinct #x1 (bvadd (n (fp.isNaN x)) (n (fp.isInfinite x)) (n (fp.isZero x))
                             (n (fp.isSubnormal x)) (n (fp.isNormal x)))))
(check-sat)
