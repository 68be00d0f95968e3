; The last floats that convert, and they convert exactly.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(assert (not (and (= ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE (- 128.5))) #x80)
                  (= ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE 127.75)) #x7f)
                  (= ((_ fp.to_ubv 8) RTZ ((_ to_fp 8 24) RNE 255.5)) #xff)
                  (= ((_ fp.to_ubv 8) RTP ((_ to_fp 8 24) RNE (- 0.75))) #x00)
                  (= ((_ fp.to_sbv 64) RTZ ((_ to_fp 11 53) RNE (- 9223372036854775808.0))) #x8000000000000000))))
(check-sat)
