; Towards plus infinity is the one mode that gives the larger 1/10.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const r RoundingMode)
(declare-const x Float32)
(assert (= x (fp.div r ((_ to_fp 8 24) RNE 1.0) ((_ to_fp 8 24) RNE 3.0))))
(assert (distinct x (fp.div RTN ((_ to_fp 8 24) RNE 1.0) ((_ to_fp 8 24) RNE 3.0))))
(assert (distinct r RNE RNA))
(check-sat)
