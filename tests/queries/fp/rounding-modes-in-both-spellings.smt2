; 1/3 in five directions, in both spellings.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(define-fun one () Float32 ((_ to_fp 8 24) RNE 1.0))
(define-fun three () Float32 ((_ to_fp 8 24) RNE 3.0))
(assert (not (and (= (fp.div RNE one three) (fp.div roundNearestTiesToEven one three))
                  (= (fp.div RNA one three) (fp.div roundNearestTiesToAway one three))
                  (= (fp.div RTP one three) (fp.div roundTowardPositive one three))
                  (= (fp.div RTN one three) (fp.div roundTowardNegative one three))
                  (= (fp.div RTZ one three) (fp.div roundTowardZero one three))
                  (= (fp.div RTZ one three) (fp.div RTN one three))
                  (fp.lt (fp.div RTN one three) (fp.div RTP one three)))))
(check-sat)
