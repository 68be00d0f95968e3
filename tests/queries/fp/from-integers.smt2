; Signed and unsigned integers differ from the sign bit on.
;@ decides = ["z3", "bitwuzla"]
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const n (_ BitVec 32))
(assert (fp.eq ((_ to_fp 11 53) RNE n) (fp.neg ((_ to_fp 11 53) RNE 1.0))))
(assert (distinct ((_ to_fp_unsigned 11 53) RNE n) ((_ to_fp 11 53) RNE 4294967295.0)))
(check-sat)
