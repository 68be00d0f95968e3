; 2^24 + 1 is the first integer that no float32 is.
;@ decides = ["bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const n (_ BitVec 64))
(assert (bvult n #x0000000001000002))
(assert (distinct ((_ fp.to_ubv 64) RTZ ((_ to_fp_unsigned 8 24) RNE n)) n))
(assert (distinct n #x0000000001000001))
(check-sat)
