; A condition through a library call that no SMT solver understands.
;
;     if (sin(x) > 0.75 && x > 10.0 && x < 20.0) peak();
;
; The set-info line declares `sin` opaque: Symcrete calls the C library's own and searches; standard
; solvers skip the line and see an uninterpreted function.
(set-logic QF_UFFP)
(set-info :status sat)
(set-info :symcrete-opaque sin)
(declare-fun sin (Float64) Float64)
(declare-const x Float64)
(assert (fp.gt (sin x) ((_ to_fp 11 53) RNE 0.75)))
(assert (fp.lt ((_ to_fp 11 53) RNE 10.0) x ((_ to_fp 11 53) RNE 20.0)))
(check-sat)
(get-value (x (sin x)))
