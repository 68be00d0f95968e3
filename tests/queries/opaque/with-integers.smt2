; Opaque and beyond our terms at once: only unsat carries over from the solvers.
(set-info :status unsat)
(set-info :symcrete-opaque sin)
(declare-fun sin (Float64) Float64)
(declare-const n Int)
(declare-const x Float64)
(assert (fp.gt (sin x) ((_ to_fp 11 53) RNE 2.0)))
(assert (> n 0))
(check-sat)
