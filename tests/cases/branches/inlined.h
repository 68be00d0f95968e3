static inline bool is_positive(int x) {
    if (x > 0)
        return true;
    return false;
}
