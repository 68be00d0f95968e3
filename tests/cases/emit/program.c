/* A whole program: its own main without a return, arguments, standard input, exit, state between runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;

int count(void)
{
    return ++calls;
}

void check(int code)
{
    if (code > 2)
        exit(code);
    calls = code;
}

int first(void)
{
    int c = getchar();
    return c == EOF ? -1 : c;
}

int main(int argc, char **argv)
{
    int c = getchar();
    if (argc > 1 && strcmp(argv[1], "fail") == 0)
        return 3;
    if (argc > 2)
        exit(4);
    if (c == 'x')
        return 7;
}

//@ {"unit": "count", "input": {}, "returns": ["i32", 1]}
//@ {"unit": "count", "input": {}, "returns": ["i32", 1]}
//@ {"unit": "check", "input": {"code": 5}, "exits": 5}
//@ {"unit": "check", "input": {"code": 1}}
//@ {"unit": "first", "input": {}, "returns": ["i32", -1], "drawn": [["stdin.length", "u32", 0]]}
//@ {"unit": "first", "input": {}, "returns": ["i32", 10], "drawn": [["stdin.length", "u32", 3], ["stdin[0]", "u8", 10]]}
//@ {"unit": "main", "input": {"argc": 1, "argv": [[]]}, "returns": ["i32", 0], "drawn": [["stdin.length", "u32", 0]]}
//@ {"unit": "main", "input": {"argc": 2, "argv": [[], "fail"]}, "returns": ["i32", 3], "drawn": [["stdin.length", "u32", 0]]}
//@ {"unit": "main", "input": {"argc": 3, "argv": [[], "a", "b"]}, "exits": 4, "drawn": [["stdin.length", "u32", 0]]}
//@ {"unit": "main", "input": {"argc": 1, "argv": [[]]}, "returns": ["i32", 7], "drawn": [["stdin.length", "u32", 1], ["stdin[0]", "u8", 120]]}
