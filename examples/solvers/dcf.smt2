; A checksum over four inputs, and a loose condition through a library call on another:
;
;     h = ((a*31 + b)*31 + c)*31 + d;  if (h == 0x1d5a3 && cos(t) < -0.5) …
;
; `dcf` leaves the checksum to SMT and searches t alone.
(set-logic QF_UFBVFP)
(set-info :status sat)
(set-info :symcrete-opaque cos)
(declare-fun cos (Float64) Float64)
(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(declare-const c (_ BitVec 32))
(declare-const d (_ BitVec 32))
(declare-const t Float64)
(define-fun k () (_ BitVec 32) (_ bv31 32))
(define-fun h () (_ BitVec 32)
  (bvadd (bvmul (bvadd (bvmul (bvadd (bvmul a k) b) k) (bvxor c a)) k) d))
(assert (= h #x0001d5a3))
(assert (bvult a (_ bv64 32)))
(assert (bvult b (_ bv64 32)))
(assert (bvult c (_ bv64 32)))
(assert (bvult d (_ bv64 32)))
(assert (fp.lt (cos t) ((_ to_fp 11 53) RNE (- 0.5))))
(check-sat)
(get-value (a b c d t))
