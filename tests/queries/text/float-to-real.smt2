; fp.to_real.
;@ decides = ["z3"]
(set-logic ALL)
(set-info :status unsat)
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) RNE 0.5)))
(assert (distinct (fp.to_real x) (/ 1.0 2.0)))
(check-sat)
