#include <crest.h>

int main(void)
{
    int a;
    unsigned char b;

    CREST_int(a);
    CREST_unsigned_char(b);
    if (a > b)
        return 1;
    return 0;
}
