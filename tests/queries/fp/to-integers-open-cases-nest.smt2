; Open cases inside open cases are still functions of their arguments.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(define-fun f ((v Float32)) Float32 ((_ to_fp 8 24) RNE ((_ fp.to_sbv 16) RTZ v)))
(assert (= x y))
(assert (distinct ((_ fp.to_sbv 8) RTZ (f x)) ((_ fp.to_sbv 8) RTZ (f y))))
(check-sat)
