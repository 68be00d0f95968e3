; -1.5 in four modes.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(define-fun x () Float32 ((_ to_fp 8 24) RNE (- 1.5)))
(assert (not (and (= ((_ fp.to_sbv 8) RTZ x) #xff) (= ((_ fp.to_sbv 8) RTN x) #xfe)
                  (= ((_ fp.to_sbv 8) RTP x) #xff) (= ((_ fp.to_sbv 8) RNE x) #xfe)
                  (= ((_ fp.to_sbv 8) RNA x) #xfe)
                  (= ((_ fp.to_ubv 8) RTZ ((_ to_fp 8 24) RNE (- 0.5))) #x00))))
(check-sat)
