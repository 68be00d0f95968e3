; Two different keys in one bucket: FNV-1a over three bytes, folded to 16 bits.
;
;     uint32_t h = 2166136261u;
;     for (i = 0; i < 3; i++) h = (h ^ key[i]) * 16777619u;
;     bucket = (h >> 16) ^ (h & 0xffff);
;     if (bucket(a) == bucket(b) && memcmp(a, b, 3) != 0) slow_path();
(set-logic QF_BV)
(set-info :status sat)
(define-sort Byte () (_ BitVec 8))
(define-sort Word () (_ BitVec 32))
(define-fun add ((h Word) (byte Byte)) Word (bvmul (bvxor h ((_ zero_extend 24) byte)) #x01000193))
(define-fun hash ((p Byte) (q Byte) (r Byte)) Word (add (add (add #x811c9dc5 p) q) r))
(define-fun bucket ((h Word)) (_ BitVec 16) (bvxor ((_ extract 31 16) h) ((_ extract 15 0) h)))
(define-fun letter ((byte Byte)) Bool (and (bvuge byte #x61) (bvule byte #x7a)))
(declare-const a0 Byte)
(declare-const a1 Byte)
(declare-const a2 Byte)
(declare-const b0 Byte)
(declare-const b1 Byte)
(declare-const b2 Byte)
(assert (and (letter a0) (letter a1) (letter a2) (letter b0) (letter b1) (letter b2)))
(assert (or (distinct a0 b0) (distinct a1 b1) (distinct a2 b2)))
(assert (= (bucket (hash a0 a1 a2)) (bucket (hash b0 b1 b2))))
(check-sat)
(get-value (a0 a1 a2 b0 b1 b2))
