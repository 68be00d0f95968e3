; |x| is x, and bars allow anything else in a name.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(declare-const |x| (_ BitVec 4))
(declare-const |a name; with (everything) "in" it| (_ BitVec 4))
(declare-const |let| (_ BitVec 4))
(assert (= x |a name; with (everything) "in" it|))
(assert (= (bvadd |x| |let|) #xf))
(assert (= |let| #x0))
(assert (distinct x #xf))
(check-sat)
