; A sort whose comparison is no order.
;
;     if (x < y) before();
;     else if (x >= y) after();
;     else unreachable();                        // or is it?
;
; With a NaN both comparisons are false. The second question asks for an input without one.
(set-logic QF_FP)
(declare-const x Float32)
(declare-const y Float32)
(assert (not (fp.lt x y)))
(assert (not (fp.geq x y)))
(set-info :status sat)
(check-sat)
(get-value (x y))
(push 1)
(assert (not (fp.isNaN x)))
(assert (not (fp.isNaN y)))
(set-info :status unsat)
(check-sat)
(pop 1)
