; Halves to even, away, up, down and to zero; the sign of zero stays.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(define-fun h () Float32 ((_ to_fp 8 24) RNE 2.5))
(define-fun d ((n (_ BitVec 8))) Float32 ((_ to_fp 8 24) RNE n))
(assert (not (and (= (fp.roundToIntegral RNE h) (d #x02)) (= (fp.roundToIntegral RNA h) (d #x03))
                  (= (fp.roundToIntegral RTP h) (d #x03)) (= (fp.roundToIntegral RTN h) (d #x02))
                  (= (fp.roundToIntegral RTZ h) (d #x02))
                  (= (fp.roundToIntegral RNE ((_ to_fp 8 24) RNE (- 0.25))) (_ -zero 8 24)))))
(check-sat)
