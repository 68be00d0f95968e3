/* A small scanner and parser, as people write them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum state { START, WORD, DIGITS, FAILED };

static int priority(char operator) {
    switch (operator) {
        case '+':
        case '-': return 1;
        case '*':
        case '/': return 2;
        default: return 0;
    }
}

int scan(const char *s) {
    enum state state = START;
    int n = 0;
    for (int i = 0; s[i] != '\0' && state != FAILED; i++) {
        unsigned char c = (unsigned char)s[i];
        switch (state) {
            case START:
                if (isalpha(c) || c == '_')
                    state = WORD;
                else if (c >= '0' && c <= '9')
                    state = DIGITS;
                else if (c != ' ')
                    state = FAILED;
                break;
            case WORD:
                if (!isalnum(c)) {
                    n++;
                    state = START;
                }
                break;
            case DIGITS:
                if (c == ' ') {
                    n += 10;
                    state = START;
                } else if (!(c >= '0' && c <= '9')) {
                    state = FAILED;
                }
                break;
            default: break;
        }
    }
    return state == FAILED ? -1 : n;
}

static const char *cursor;

static int expression(int least) {
    int value = 0;
    if (*cursor == '(') {
        cursor++;
        value = expression(1);
        if (*cursor == ')') cursor++;
    } else {
        while (*cursor >= '0' && *cursor <= '9') value = value * 10 + (*cursor++ - '0');
    }
    while (priority(*cursor) >= least && *cursor) {
        char operator = *cursor++;
        int right = expression(priority(operator) + 1);
        if (operator == '+') value += right;
        else if (operator == '-') value -= right;
        else if (operator == '*') value *= right;
        else if (right != 0) value /= right;
    }
    return value;
}

int evaluate(const char *text) {
    if (!text || strlen(text) > 100) return 0;
    cursor = text;
    return expression(1);
}

int main(void) {
    printf("%d %d %d\n", scan("ab1 12 _c "), scan("12x"), scan("$"));
    printf("%d %d %d\n", evaluate("1+2*(3-4)/5"), evaluate("7/0"), evaluate(NULL));
    return 0;
}
