/* The conditions just before a target decide it, in loops of any number of passes. */
int digits(const char *s)
{
    int n = 0;
    while (*s) {
        if (s[0] == '%' && (('0' <= s[1] && s[1] <= '9') || ('a' <= s[1] && s[1] <= 'f'))) {
            if (s[1] < '0')
                n = 100; // TARGET unreachable 128
            s += 2;
        } else {
            s++;
        }
    }
    return n;
}

int written(char *s, char *t)
{
    while (*s) {
        if (*s == 'a' || *s == 'b') {
            *t = 'c';
            if (*s == 'd')
                return 1;
        }
        s++;
    }
    return 0;
}
