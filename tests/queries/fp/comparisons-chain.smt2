; Comparisons take many arguments.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float64)
(declare-const y Float64)
(declare-const z Float64)
(assert (fp.lt x y z))
(assert (fp.leq z x))
(check-sat)
