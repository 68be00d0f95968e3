; The spellings of constants.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(assert (not (and (= #xff (_ bv255 8)) (= #b11111111 #xFF) (= (_ bv0 1) #b0)
                  (= (_ bv18446744073709551615 64) #xffffffffffffffff))))
(check-sat)
