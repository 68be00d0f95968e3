; The eight comparisons against one another.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (not (and (= (bvult x y) (bvugt y x) (not (bvuge x y)) (not (bvule y x)))
                  (= (bvslt x y) (bvsgt y x) (not (bvsge x y)) (not (bvsle y x))))))
(check-sat)
