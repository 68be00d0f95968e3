/* What a function frees is allocated, in all frameworks and without warnings. */
#include <stdlib.h>

struct node {
    char *name;
    int number;
    struct node *next;
};

//@ {"unit": "drop", "input": {"node": [{"name": "ab", "number": 3, "next": null}]}, "freed": ["node", "node->name"], "returns": ["i32", 3]}
//@ {"unit": "drop", "input": {"node": [{"name": null, "number": 4, "next": [{"name": "x", "number": 1}]}]}, "freed": ["node"], "returns": ["i32", 4]}
int drop(struct node *node)
{
    int number = node->number;
    free(node->name);
    free(node);
    return number;
}

//@ {"unit": "sum", "input": {"numbers": [1, 2, 3]}, "freed": ["numbers"], "returns": ["i32", 3]}
//@ {"unit": "sum", "input": {"numbers": [0, 0]}, "freed": ["numbers"], "returns": ["i32", 0]}
int sum(int *numbers)
{
    int sum = numbers[0] + numbers[1];
    free(numbers);
    return sum;
}

//@ {"unit": "drop_all", "input": {"names": ["a", "bc", null]}, "freed": ["names", "names[0]", "names[1]"], "returns": ["i32", 2]}
int drop_all(char **names)
{
    int n = 0;
    while (names[n])
        free(names[n++]);
    free(names);
    return n;
}
