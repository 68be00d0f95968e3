; Some rounding mode makes 1/3 larger than to nearest does; and its value is one of five.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const r RoundingMode)
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) RNE 3.0)))
(assert (fp.lt (fp.div RNE ((_ to_fp 8 24) RNE 1.0) x) (fp.div r ((_ to_fp 8 24) RNE 1.0) x)))
(check-sat)
