; A comparison of doubles that holds for a handful of inputs among 2^64.
;
;     double f = c * 1.8 + 32.0;
;     if (f == 98.6) fever();
;
; Random testing does not meet it, and 37.0 does not reach it either: in doubles, 37.0 * 1.8 + 32.0
; is 98.60000000000001.
(set-logic QF_FP)
(set-info :status sat)
(declare-const c Float64)
(define-fun f () Float64
  (fp.add RNE (fp.mul RNE c ((_ to_fp 11 53) RNE 1.8)) ((_ to_fp 11 53) RNE 32.0)))
(assert (fp.eq f ((_ to_fp 11 53) RNE 98.6)))
(check-sat)
(get-value (c f))
