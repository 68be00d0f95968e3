// imports: symcrete.int32 symcrete.uint8 symcrete.int16
// defines: main
#include <crest.h>

int main(void)
{
    int a;
    unsigned char b;
    short c;

    CREST_int(a);
    CREST_unsigned_char(b);
    CREST_short(c);
    return a > b ? c : 1;
}
