; Sign and zero extension, and extension by nothing.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (or (distinct ((_ sign_extend 8) x) (ite (bvslt x #x00) (concat #xff x) (concat #x00 x)))
            (distinct ((_ zero_extend 8) x) (concat #x00 x))
            (distinct ((_ zero_extend 0) x) ((_ sign_extend 0) x))))
(check-sat)
