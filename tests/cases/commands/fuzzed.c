/* A fuzz target that wants a header of 64 bytes before it does anything. */
#include <stddef.h>
#include <stdint.h>

static unsigned checked(const uint8_t *data)
{
    unsigned sum = 0;
    for (int i = 0; i < 60; i++)
        sum += data[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 64)
        return 0;
    if (data[0] != 0x7f)
        return 0;
    if (data[1] != 'E' || data[2] != 'L' || data[3] != 'F')
        return 0;
    if (data[4] == 1)
        return 1;
    if (data[5] > 2)
        return 2;
    switch (data[16]) {
    case 1:
        return 3;
    case 2:
        return 4;
    }
    if (data[60] == 'x' && data[63] == 'y')
        return 5;
    if (size > 70)
        return 6;
    return checked(data) == 900;
}
