; The bindings of a let do not see each other: here x and y are exchanged.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= x #x01))
(assert (= y #x02))
(assert (let ((x y) (y x)) (and (= x #x02) (= y #x01))))
(check-sat)
