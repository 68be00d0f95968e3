/* Scalars of every kind, enumerations, and floating point that must survive bit by bit. */
#include <stdbool.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE };
typedef enum { COLD = -1, WARM } warmth;

int clamp(int x, int low, int high)
{
    if (x < low)
        return low;
    return x > high ? high : x;
}

uint64_t wide(int64_t a, uint64_t b, uint32_t c, int16_t d, uint8_t e, char f, bool g)
{
    return (uint64_t)a + b + c + (uint64_t)d + e + (uint64_t)f + g;
}

double half(double x, float y) { return x / 2 + y; }
static float third(float x) { return x / 3; }
enum colour next(enum colour colour, warmth w) { return colour == RED && w == WARM ? GREEN : BLUE; }
int use_third(void) { return (int)third(9); }
bool is_nan(double x) { return x != x; }

//@ {"unit": "clamp", "input": {"x": 3, "low": 5, "high": 9}, "returns": ["i32", 5]}
//@ {"unit": "clamp", "input": {"x": -2147483648, "low": -2147483648, "high": 2147483647}, "returns": ["i32", -2147483648]}
//@ {"unit": "wide", "input": {"a": -9223372036854775808, "b": 18446744073709551615, "c": 4294967295, "d": -5, "e": 255, "f": "'", "g": true}, "returns": ["u64", 9223372041149743392]}
//@ {"unit": "half", "input": {"x": 0.30000000000000004, "y": 0.1}, "returns": ["f64", 0.25000000149011613]}
//@ {"unit": "half", "input": {"x": "nan", "y": 1}, "returns": ["f64", "nan"]}
//@ {"unit": "half", "input": {"x": -0.0, "y": -0.0}, "returns": ["f64", -0.0]}
//@ {"unit": "half", "input": {"x": 5e-324, "y": 1e-40}, "returns": ["f64", 9.99994610111476e-41]}
//@ {"unit": "third", "input": {"x": 1}, "returns": ["f32", 0.3333333432674408]}
//@ {"unit": "next", "input": {"colour": "GREEN", "w": -1}, "returns": ["i32", 6]}
//@ {"unit": "next", "input": {"colour": 0, "w": 0}, "returns": ["i32", 5]}
//@ {"unit": "next", "input": {"colour": 77, "w": 0}, "returns": ["i32", 6]}
//@ {"unit": "is_nan", "input": {"x": "nan"}, "returns": ["i32", 1]}
//@ {"unit": "is_nan", "input": {"x": "-inf"}, "returns": ["i32", 0]}
//@ {"unit": "use_third", "input": {}, "returns": ["i32", 3]}
