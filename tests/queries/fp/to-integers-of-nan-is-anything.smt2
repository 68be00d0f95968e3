; What fp.to_sbv gives for NaN is open: 5 is possible.
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(assert (fp.isNaN x))
(assert (= ((_ fp.to_sbv 8) RTZ x) #x05))
(check-sat)
