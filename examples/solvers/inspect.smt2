; Small integers with products, quotients and remainders, as random programs branch on them.
;
;     if (i14*i12 <= i11 && -4 == i17/-5 && i2 % 7 >= 3 && i2*i14 > i17 && i11 % i12 != 0) …
;
; A bit-vector solver builds multipliers and dividers first; `inspect` has tried a hundred inputs by then.
(set-logic QF_BV)
(set-info :status sat)
(declare-const i2 (_ BitVec 32))
(declare-const i11 (_ BitVec 32))
(declare-const i12 (_ BitVec 32))
(declare-const i14 (_ BitVec 32))
(declare-const i17 (_ BitVec 32))
(assert (bvsle (bvmul i14 i12) i11))
(assert (= (_ bv4294967292 32) (bvsdiv i17 (bvneg (_ bv5 32)))))
(assert (bvsge (bvsrem i2 (_ bv7 32)) (_ bv3 32)))
(assert (bvsgt (bvmul i2 i14) i17))
(assert (not (= (bvsrem i11 i12) (_ bv0 32))))
(check-sat)
(get-value (i2 i11 i12 i14 i17))
