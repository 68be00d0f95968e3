/* Global variables as inputs, and tests that share a process. */
#include <string.h>
struct config {
    int level;
    char name[4];
    unsigned ready : 1;
};
struct config config = {3, "abc", 1};
static int table[3][2] = {{1, 2}, {3, 4}, {5, 6}};
double scale = 0.5;
const int limit = 10;
const char *const words[2] = {"a", "b"};

int run(int i)
{
    table[i][0] = config.level * config.ready;
    scale = table[i][1];
    return config.level < limit ? config.name[0] : (int)strlen(words[0]);
}

//@ {"unit": "run", "globals": true, "input": {"i": 1, "config": {"level": 4, "name": "xyz", "ready": 1}, "table": [[1, 2], [3, 9]], "scale": 0.25}, "returns": ["i32", 120], "changes": [["table[1][0]", "i32", 4], ["scale", "f64", 9]]}
//@ {"unit": "run", "globals": true, "input": {"i": 0, "config": {"level": 10}}, "returns": ["i32", 1], "changes": [["table[0][0]", "i32", 10], ["scale", "f64", 2]]}
