; The five special constants.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(assert (not (and (fp.isNaN (_ NaN 8 24)) (fp.isInfinite (_ +oo 8 24)) (fp.isInfinite (_ -oo 11 53))
                  (fp.isPositive (_ +oo 8 24)) (fp.isNegative (_ -oo 8 24)) (fp.isZero (_ -zero 8 24))
                  (fp.isNegative (_ -zero 8 24)) (fp.isPositive (_ +zero 11 53))
                  (not (fp.isNegative (_ NaN 8 24))) (not (fp.isPositive (_ NaN 8 24)))
                  (= (fp.div RNE ((_ to_fp 8 24) RNE 1.0) (_ -zero 8 24)) (_ -oo 8 24)))))
(check-sat)
