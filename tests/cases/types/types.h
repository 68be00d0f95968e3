static inline int in_header(int x) { return x + 1; }
