; A library function with two arguments, and one of float32.
;@ decides = ["random"]
(set-logic QF_UFFP)
(set-info :status sat)
(set-info :symcrete-opaque "pow cosf")
(declare-fun pow (Float64 Float64) Float64)
(declare-fun cosf (Float32) Float32)
(declare-const x Float64)
(declare-const y Float32)
(assert (fp.gt (pow x ((_ to_fp 11 53) RNE 2.0)) ((_ to_fp 11 53) RNE 2.0)))
(assert (fp.lt (cosf y) ((_ to_fp 8 24) RNE 0.5)))
(check-sat)
