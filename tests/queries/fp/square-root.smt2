; The square root of two, squared, is not two.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(assert (= x (fp.sqrt RNE ((_ to_fp 8 24) RNE 2.0))))
(assert (not (fp.eq (fp.mul RNE x x) ((_ to_fp 8 24) RNE 2.0))))
(assert (fp.isNaN (fp.sqrt RNE (fp.neg x))))
(assert (= (fp.sqrt RNE (_ -zero 8 24)) (_ -zero 8 24)))
(check-sat)
