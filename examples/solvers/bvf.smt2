; A value computed by a library call, then ordinary conditions on it:
;
;     n = round(1000 * sin(x));  if (y == 3*n + 1 && z*n == 7*y + 21 && n > 100) …
;
; `bvf` draws x, the argument of the call; the rest is linear or bit-precise and goes to SMT.
; Drawing y and z as well, as `random` does, meets no equation.
(set-logic QF_UFBVFP)
(set-info :status sat)
(set-info :symcrete-opaque sin)
(declare-fun sin (Float64) Float64)
(declare-const x Float64)
(declare-const y (_ BitVec 32))
(declare-const z (_ BitVec 32))
(define-fun n () (_ BitVec 32)
  ((_ fp.to_sbv 32) RNE (fp.mul RNE ((_ to_fp 11 53) RNE 1000.0) (sin x))))
(assert (= y (bvadd (bvmul (_ bv3 32) n) (_ bv1 32))))
(assert (fp.lt (fp.abs x) ((_ to_fp 11 53) RNE 100.0)))
(assert (bvsgt n (_ bv100 32)))
(assert (= (bvmul z (_ bv9 32)) (bvadd (bvmul (_ bv7 32) y) (_ bv21 32))))
(check-sat)
(get-value (x y z))
