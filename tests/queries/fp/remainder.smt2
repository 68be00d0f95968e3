; fp.rem rounds the quotient to nearest even: 5 rem 3 is -1, 6 rem 4 is -2.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(define-fun d ((n (_ BitVec 8))) Float64 ((_ to_fp 11 53) RNE n))
(assert (not (and (= (fp.rem (d #x05) (d #x03)) (d #xff)) (= (fp.rem (d #x06) (d #x04)) (d #xfe))
                  (= (fp.rem (d #x02) (d #x04)) (d #x02)) (fp.isNaN (fp.rem (d #x02) (d #x00)))
                  (= (fp.rem (d #x02) (_ +oo 11 53)) (d #x02)))))
(check-sat)
