; Arrays.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_ABV)
(set-info :status unsat)
(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))
(declare-const i (_ BitVec 8))
(declare-const j (_ BitVec 8))
(assert (= (select (store a i #x01) j) #x02))
(assert (= i j))
(check-sat)
