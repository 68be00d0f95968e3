; What fp.to_sbv gives for NaN is open, but always the same.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isNaN x))
(assert (fp.isNaN y))
(assert (distinct ((_ fp.to_sbv 8) RTZ x) ((_ fp.to_sbv 8) RTZ y)))
(check-sat)
