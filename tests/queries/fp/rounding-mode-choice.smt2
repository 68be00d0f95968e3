; Choice, let and functions of rounding modes.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const up Bool)
(define-fun mode ((u Bool)) RoundingMode (ite u RTP RTN))
(define-fun third ((r RoundingMode)) Float64 (fp.div r ((_ to_fp 11 53) RNE 1.0) ((_ to_fp 11 53) RNE 3.0)))
(assert (let ((m (mode up))) (= (third m) (third RTP))))
(assert (not up))
(check-sat)
