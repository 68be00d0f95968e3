; The minimum of the two zeros is open: here it is +0.
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(assert (= x (fp.min (_ -zero 8 24) (_ +zero 8 24))))
(assert (fp.isPositive x))
(check-sat)
