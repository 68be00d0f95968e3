; Powell's badly scaled function, to be zero exactly, through a library call:
;
;     if (10000*x*y - 1 == 0 && pow(M_E, -x) + pow(M_E, -y) - 1.0001 == 0) found();
;
; A float solver does not know pow, random draws never meet an equation, and the solution lies in a valley
; a hundred-thousandth wide. `concolic-walk` follows it and settles the last bits.
(set-logic QF_UFFP)
(set-info :status sat)
(set-info :symcrete-opaque pow)
(declare-fun pow (Float64 Float64) Float64)
(declare-const x Float64)
(declare-const y Float64)
(define-fun e () Float64 ((_ to_fp 11 53) RNE 2.718281828459045))
(define-fun one () Float64 ((_ to_fp 11 53) RNE 1.0))
(assert (fp.eq (fp.mul RNE (fp.mul RNE ((_ to_fp 11 53) RNE 10000.0) x) y) one))
(assert (fp.eq (fp.add RNE (pow e (fp.neg x)) (pow e (fp.neg y))) ((_ to_fp 11 53) RNE 1.0001)))
(check-sat)
(get-value (x y))
