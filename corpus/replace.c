/* replace: pattern substitution in a line.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: replace(pattern, substitution, line). Reads at most 7 characters of each. Our own program
 * and notation:
 *   pattern: '.' any character, '[a-cx]' one of, '[^a-cx]' none of, '*' any number of and '?' at most one of the
 *   element before, '%' at the start and '$' at the end of the line, '@' takes the next character as it is, except
 *   '@n' and '@t';
 *   substitution: '&' what was matched, '~' the same backwards, '@' as above.
 * The longest match wins at each place, from left to right; an empty match right after another match does not count.
 * Returns -1 ... -8 for faults; else 10000 times the number of matches, plus 1000 times the class of the result's
 * length, plus a checksum below 1000.
 * Infeasible: `takes` is not asked about the ends of a line, and both switches over kinds have a label for each.
 */

#include <stddef.h>

enum { LONGEST = 7 };

/* At most 8 matches with 7 items of at most 7 characters, and the line itself. */
enum { RESULT_SIZE = 512 };

enum fault {
    NO_FAULT = 0,
    NO_TEXT = -1,
    EMPTY_PATTERN = -2,
    OPEN_CLASS = -3,
    EMPTY_CLASS = -4,
    BAD_RANGE = -5,
    NOTHING_TO_REPEAT = -6,
    OPEN_ESCAPE = -7,
    REPEATED_TWICE = -8
};

enum element_kind { LITERAL, ANY, ONE_OF, NONE_OF, LINE_START, LINE_END };

enum repeat { ONCE, AT_MOST_ONCE, ANY_NUMBER };

struct text {
    unsigned char chars[LONGEST];
    int length;
};

struct range {
    unsigned char first;
    unsigned char last;
};

struct element {
    enum element_kind kind;
    enum repeat repeat;
    unsigned char literal;
    int first_range;
    int ranges;
};

struct pattern {
    struct element elements[LONGEST];
    int length;
    struct range ranges[LONGEST];
    int ranges_used;
};

enum item_kind { CHARACTER, MATCH, REVERSED_MATCH };

struct item {
    enum item_kind kind;
    unsigned char character;
};

struct substitution {
    struct item items[LONGEST];
    int length;
};

struct result {
    unsigned char chars[RESULT_SIZE];
    int length;
    int matches;
};

static void read_text(struct text *text, const char *from) {
    text->length = 0;
    while (text->length < LONGEST && from[text->length] != '\0') {
        text->chars[text->length] = (unsigned char)from[text->length];
        text->length++;
    }
}

/* Escapes: *at is at '@'; afterwards it is at the character after the escaped one. */

static int read_escape(const struct text *text, int *at, unsigned char *character) {
    if (*at + 1 >= text->length) {
        return OPEN_ESCAPE;
    }
    unsigned char c = text->chars[*at + 1];
    *at += 2;
    switch (c) {
    case 'n':
        *character = '\n';
        break;
    case 't':
        *character = '\t';
        break;
    default:
        *character = c;
        break;
    }
    return NO_FAULT;
}

/* A character that may be escaped. */
static int read_character(const struct text *text, int *at, unsigned char *character) {
    if (text->chars[*at] == '@') {
        return read_escape(text, at, character);
    }
    *character = text->chars[*at];
    *at += 1;
    return NO_FAULT;
}

/* Patterns. */

static struct element *new_element(struct pattern *pattern, enum element_kind kind) {
    struct element *element = &pattern->elements[pattern->length];
    pattern->length++;
    element->kind = kind;
    element->repeat = ONCE;
    element->literal = 0;
    element->first_range = pattern->ranges_used;
    element->ranges = 0;
    return element;
}

/* One character of a class, or two with '-' between them; a '-' before the bracket is itself. */
static int read_range(struct pattern *pattern, const struct text *text, int *at) {
    struct range *range = &pattern->ranges[pattern->ranges_used];
    int fault = read_character(text, at, &range->first);
    if (fault != NO_FAULT) {
        return fault;
    }
    range->last = range->first;
    if (*at + 1 < text->length && text->chars[*at] == '-' && text->chars[*at + 1] != ']') {
        *at += 1;
        fault = read_character(text, at, &range->last);
        if (fault != NO_FAULT) {
            return fault;
        }
        if (range->last < range->first) {
            return BAD_RANGE;
        }
    }
    pattern->ranges_used++;
    return NO_FAULT;
}

/* A class; *at is at '['. */
static int read_class(struct pattern *pattern, const struct text *text, int *at) {
    struct element *element = new_element(pattern, ONE_OF);
    *at += 1;
    if (*at < text->length && text->chars[*at] == '^') {
        element->kind = NONE_OF;
        *at += 1;
    }
    while (*at < text->length && text->chars[*at] != ']') {
        int fault = read_range(pattern, text, at);
        if (fault != NO_FAULT) {
            return fault;
        }
        element->ranges++;
    }
    if (*at >= text->length) {
        return OPEN_CLASS;
    }
    if (element->ranges == 0) {
        return EMPTY_CLASS;
    }
    *at += 1;
    return NO_FAULT;
}

static int read_repeat(struct pattern *pattern, enum repeat repeat) {
    if (pattern->length == 0) {
        return NOTHING_TO_REPEAT;
    }
    struct element *element = &pattern->elements[pattern->length - 1];
    if (element->kind == LINE_START) {
        return NOTHING_TO_REPEAT;
    }
    if (element->repeat != ONCE) {
        return REPEATED_TWICE;
    }
    element->repeat = repeat;
    return NO_FAULT;
}

static int read_literal(struct pattern *pattern, const struct text *text, int *at) {
    struct element *element = new_element(pattern, LITERAL);
    return read_character(text, at, &element->literal);
}

/* One element or repetition. '%' is special only at the start, '$' only at the end. */
static int read_element(struct pattern *pattern, const struct text *text, int *at) {
    switch (text->chars[*at]) {
    case '*':
        *at += 1;
        return read_repeat(pattern, ANY_NUMBER);
    case '?':
        *at += 1;
        return read_repeat(pattern, AT_MOST_ONCE);
    case '.':
        *at += 1;
        new_element(pattern, ANY);
        return NO_FAULT;
    case '[':
        return read_class(pattern, text, at);
    case '%':
        if (*at > 0) {
            return read_literal(pattern, text, at);
        }
        *at += 1;
        new_element(pattern, LINE_START);
        return NO_FAULT;
    case '$':
        if (*at + 1 < text->length) {
            return read_literal(pattern, text, at);
        }
        *at += 1;
        new_element(pattern, LINE_END);
        return NO_FAULT;
    default:
        return read_literal(pattern, text, at);
    }
}

static int read_pattern(struct pattern *pattern, const struct text *text) {
    int at = 0;
    pattern->length = 0;
    pattern->ranges_used = 0;
    if (text->length == 0) {
        return EMPTY_PATTERN;
    }
    while (at < text->length) {
        int fault = read_element(pattern, text, &at);
        if (fault != NO_FAULT) {
            return fault;
        }
    }
    return NO_FAULT;
}

/* Substitutions. */

static int read_substitution(struct substitution *substitution, const struct text *text) {
    int at = 0;
    substitution->length = 0;
    while (at < text->length) {
        struct item *item = &substitution->items[substitution->length];
        item->kind = CHARACTER;
        item->character = 0;
        switch (text->chars[at]) {
        case '&':
            item->kind = MATCH;
            at++;
            break;
        case '~':
            item->kind = REVERSED_MATCH;
            at++;
            break;
        default: {
            int fault = read_character(text, &at, &item->character);
            if (fault != NO_FAULT) {
                return fault;
            }
            break;
        }
        }
        substitution->length++;
    }
    return NO_FAULT;
}

/* Matching. */

static int is_in_class(const struct pattern *pattern, const struct element *element, unsigned char c) {
    for (int i = 0; i < element->ranges; i++) {
        const struct range *range = &pattern->ranges[element->first_range + i];
        if (c >= range->first && c <= range->last) {
            return 1;
        }
    }
    return 0;
}

/* Whether an element that takes a character takes the one at this place. */
static int takes(const struct pattern *pattern, const struct element *element, const struct text *line, int at) {
    if (at >= line->length) {
        return 0;
    }
    unsigned char c = line->chars[at];
    switch (element->kind) {
    case LITERAL:
        return c == element->literal;
    case ONE_OF:
        return is_in_class(pattern, element, c);
    case NONE_OF:
        return !is_in_class(pattern, element, c);
    case ANY:
        return 1;
    case LINE_START:
    case LINE_END:
        return 0;
    }
    return 0;
}

static int match_from(const struct pattern *pattern, int index, const struct text *line, int at);

/* As many as possible first, then fewer. */
static int match_repeated(const struct pattern *pattern, int index, const struct text *line, int at) {
    const struct element *element = &pattern->elements[index];
    int most = at;
    while (takes(pattern, element, line, most)) {
        most++;
        if (element->repeat == AT_MOST_ONCE) {
            break;
        }
    }
    for (int next = most; next >= at; next--) {
        int end = match_from(pattern, index + 1, line, next);
        if (end >= 0) {
            return end;
        }
    }
    return -1;
}

/* Where a match of the elements from index on ends, or -1. */
static int match_from(const struct pattern *pattern, int index, const struct text *line, int at) {
    while (index < pattern->length) {
        const struct element *element = &pattern->elements[index];
        if (element->repeat != ONCE) {
            return match_repeated(pattern, index, line, at);
        }
        if (element->kind == LINE_START) {
            if (at != 0) {
                return -1;
            }
        } else if (element->kind == LINE_END) {
            if (at != line->length) {
                return -1;
            }
        } else {
            if (!takes(pattern, element, line, at)) {
                return -1;
            }
            at++;
        }
        index++;
    }
    return at;
}

/* Results. */

static void put(struct result *result, unsigned char c) {
    result->chars[result->length] = c;
    result->length++;
}

static void put_substitution(struct result *result, const struct substitution *substitution, const struct text *line,
                             int start, int end) {
    for (int i = 0; i < substitution->length; i++) {
        const struct item *item = &substitution->items[i];
        switch (item->kind) {
        case CHARACTER:
            put(result, item->character);
            break;
        case MATCH:
            for (int at = start; at < end; at++) {
                put(result, line->chars[at]);
            }
            break;
        case REVERSED_MATCH:
            for (int at = end - 1; at >= start; at--) {
                put(result, line->chars[at]);
            }
            break;
        }
    }
}

static void substitute(struct result *result, const struct pattern *pattern, const struct substitution *substitution,
                       const struct text *line) {
    int at = 0;
    int last_end = -1;
    result->length = 0;
    result->matches = 0;
    while (at <= line->length) {
        int end = match_from(pattern, 0, line, at);
        if (end >= 0 && (end > at || at != last_end)) {
            put_substitution(result, substitution, line, at, end);
            result->matches++;
            last_end = end;
        }
        if (end > at) {
            at = end;
        } else {
            if (at < line->length) {
                put(result, line->chars[at]);
            }
            at++;
        }
    }
}

/* 0 empty, 1 shorter than the line, 2 as long, 3 longer. */
static int length_class(const struct result *result, const struct text *line) {
    if (result->length == 0) {
        return 0;
    }
    if (result->length < line->length) {
        return 1;
    }
    return result->length == line->length ? 2 : 3;
}

static int checksum(const struct result *result) {
    int sum = 0;
    for (int i = 0; i < result->length; i++) {
        sum += result->chars[i] * (i + 1);
    }
    return sum % 1000;
}

int replace(const char *pattern, const char *substitution, const char *line) {
    struct text pattern_text, substitution_text, line_text;
    struct pattern compiled;
    struct substitution items;
    struct result result;
    if (pattern == NULL || substitution == NULL || line == NULL) {
        return NO_TEXT;
    }
    read_text(&pattern_text, pattern);
    read_text(&substitution_text, substitution);
    read_text(&line_text, line);
    int fault = read_pattern(&compiled, &pattern_text);
    if (fault != NO_FAULT) {
        return fault;
    }
    fault = read_substitution(&items, &substitution_text);
    if (fault != NO_FAULT) {
        return fault;
    }
    substitute(&result, &compiled, &items, &line_text);
    return 10000 * result.matches + 1000 * length_class(&result, &line_text) + checksum(&result);
}
