; min(-0, +0) and min(+0, -0) need not agree.
(set-logic QF_BVFP)
(set-info :status sat)
(assert (distinct (fp.min (_ -zero 8 24) (_ +zero 8 24)) (fp.min (_ +zero 8 24) (_ -zero 8 24))))
(check-sat)
