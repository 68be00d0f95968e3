; Every path of a function, one question each: this is how tests are generated.
;
;     int grade(int32_t points, int32_t late) {
;         if (late < 0 || late > 7) return -1;         // path 1
;         int32_t p = points - 5 * late;
;         if (p >= 90) return late == 0 ? 1 : 2;       // paths 2 and 3
;         if (p > points) return -2;                   // path 4: needs 5 * late < 0
;         return 3;                                    // path 5
(set-logic QF_BV)
(declare-const points (_ BitVec 32))
(declare-const late (_ BitVec 32))
(define-fun valid () Bool (and (bvsge late #x00000000) (bvsle late #x00000007)))
(define-fun p () (_ BitVec 32) (bvsub points (bvmul #x00000005 late)))
(define-fun best () Bool (bvsge p #x0000005a))

(echo "path 1")
(set-info :status sat)
(check-sat-assuming ((not valid)))
(get-value (points late))

(assert valid)
(push 1)
(assert best)
(echo "path 2")
(set-info :status sat)
(check-sat-assuming ((= late #x00000000)))
(get-value (points late))
(echo "path 3")
(set-info :status sat)
(check-sat-assuming ((distinct late #x00000000)))
(get-value (points late))
(pop 1)

; Path 4 looks dead, because late is not negative here. The subtraction overflows for points near the
; least integer, but then p is large and path 2 or 3 was taken.
(assert (not best))
(echo "path 4")
(set-info :status unsat)
(check-sat-assuming ((bvsgt p points)))
(echo "path 5")
(set-info :status sat)
(check-sat-assuming ((not (bvsgt p points))))
(get-value (points late))
