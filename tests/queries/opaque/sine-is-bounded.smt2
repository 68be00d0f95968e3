; Found by search: sin is not translated.
;@ decides = ["random"]
(set-logic QF_UFFP)
(set-info :status sat)
(set-info :symcrete-opaque sin)
(declare-fun sin (Float64) Float64)
(declare-const x Float64)
(assert (fp.gt (sin x) ((_ to_fp 11 53) RNE 0.5)))
(check-sat)
