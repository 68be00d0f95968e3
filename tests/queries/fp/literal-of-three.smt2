; fp takes sign, exponent and significand, also of variables. Any NaN pattern is NaN.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const s (_ BitVec 1))
(declare-const e (_ BitVec 8))
(declare-const m (_ BitVec 23))
(assert (not (and (= (fp #b0 #x7f #b00000000000000000000000) ((_ to_fp 8 24) RNE 1.0))
                  (= (fp.isNaN (fp s e m)) (and (= e #xff) (distinct m #b00000000000000000000000)))
                  (= (fp s e m) ((_ to_fp 8 24) (concat s e m))))))
(check-sat)
