; Smooth inequalities over a few numbers: the swarm closes in on the region.
;
;     if (x*x + y*y < 0.01 && sin(x + y) > 0.1 && exp(x) > 1.05) …
(set-logic QF_UFFP)
(set-info :status sat)
(set-info :symcrete-opaque "sin exp")
(declare-fun sin (Float64) Float64)
(declare-fun exp (Float64) Float64)
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.lt (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)) ((_ to_fp 11 53) RNE 0.01)))
(assert (fp.gt (sin (fp.add RNE x y)) ((_ to_fp 11 53) RNE 0.1)))
(assert (fp.gt (exp x) ((_ to_fp 11 53) RNE 1.05)))
(check-sat)
(get-value (x y))
