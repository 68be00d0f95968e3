; Each let doubles the one below: as a tree this has 2^40 nodes.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 32))
(assert (let ((a (bvadd x x))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a))) (let ((a (bvadd a a)))
        (let ((a (bvadd a a))) (let ((a (bvadd a a))) (= a #x80000000))))))))))))))))))))))))))))))))
(check-sat)
