; Defined functions with parameters, used by one another.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(define-sort Word () (_ BitVec 16))
(define-fun double ((x Word)) Word (bvadd x x))
(define-fun quadruple ((x Word)) Word (double (double x)))
(define-const seven Word #x0007)
(define-fun small ((x Word) (limit Word)) Bool (bvult x limit))
(declare-const x Word)
(assert (small x #x0100))
(assert (= (quadruple x) (bvmul #x0004 seven)))
(assert (distinct x seven))
(check-sat)
