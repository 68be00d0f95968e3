; A size check that a large count slips through.
;
;     void *copy(uint32_t count) {
;         uint32_t bytes = count * 12;           // 12 = sizeof(struct record)
;         if (bytes > 4096) return NULL;         // "too large"
;         if (count > 1000) heap_overflow();     // cannot happen?
;
; The product wraps, so it can. Which count reaches the call?
(set-logic QF_BV)
(set-info :status sat)
(declare-const count (_ BitVec 32))
(define-fun bytes () (_ BitVec 32) (bvmul count #x0000000c))
(assert (not (bvugt bytes #x00001000)))
(assert (bvugt count #x000003e8))
(check-sat)
(get-value (count bytes))
