; Every connective of the Core theory, in its n-ary forms.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (and a b (or c (not c) a)))
(assert (=> a b c true))
(assert (xor a b c))
(assert (= a b c))
(assert (distinct a (not b)))
(assert (ite a b (not b)))
(check-sat)
