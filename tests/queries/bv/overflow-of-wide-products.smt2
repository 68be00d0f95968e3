; Products of 64 bits, where no wider sort helps: corner cases.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BV)
(set-info :status unsat)
(define-fun least () (_ BitVec 64) #x8000000000000000)
(define-fun minus () (_ BitVec 64) #xffffffffffffffff)
(assert (not (and (bvsmulo least minus) (bvsmulo minus least) (not (bvsmulo minus minus))
                  (not (bvsmulo #x0000000000000000 least)) (not (bvsmulo least #x0000000000000001))
                  (bvsmulo #x0000000100000000 #x0000000080000000)
                  (not (bvsmulo #x0000000100000000 #x000000007fffffff))
                  (bvumulo #x0000000100000000 #x0000000100000000)
                  (not (bvumulo #x0000000100000000 #x00000000ffffffff))
                  (not (bvumulo #x0000000000000000 minus)) (bvumulo minus minus))))
(check-sat)
