; A product of 64 bits in 128, from two variables of 64.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 64))
(declare-const y (_ BitVec 64))
(assert (= ((_ extract 127 64) (bvmul ((_ zero_extend 64) x) ((_ zero_extend 64) y))) #x0000000000000000))
(assert (= x #xffffffffffffffff))
(assert (bvugt y #x0000000000000001))
(check-sat)
