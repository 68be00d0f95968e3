; The library call decides which inputs are left; the rest must follow:
;
;     if (floor(x) == 12 && x*1 != 12 && y*y == 1764 && y + (int)x == 54) …
;
; `dcf` would let SMT choose x first, where floor is not known to it; `ucf` searches the call first
; and lets SMT solve what remains.
(set-logic QF_UFBVFP)
(set-info :status sat)
(set-info :symcrete-opaque floor)
(declare-fun floor (Float64) Float64)
(declare-const x Float64)
(declare-const y (_ BitVec 32))
(assert (fp.eq (floor x) ((_ to_fp 11 53) RNE 12.0)))
(assert (= (bvmul y y) (_ bv1764 32)))
(assert (= (bvadd y ((_ fp.to_sbv 32) RTZ x)) (_ bv54 32)))
(check-sat)
(get-value (x y))
