; MIN / -1 wraps to MIN with remainder 0.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(assert (= x #x80000000))
(assert (= y #xffffffff))
(assert (or (distinct (bvsdiv x y) x) (distinct (bvsrem x y) #x00000000) (distinct (bvsmod x y) #x00000000)))
(check-sat)
