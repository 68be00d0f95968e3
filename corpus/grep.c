/* grep: a compiler of regular expressions and a machine that runs them on a text.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: grep(pattern, text, flags). Reads at most 7 characters of each string. Our own program:
 * '.', '[a-c]', '[^a-c]', '*', '+', '?', '|', '( )', '^', '$', '\d', '\w', and '\' before any other character. The
 * machine follows all alternatives at once (Thompson), so it needs no backtracking and ends on every pattern.
 * Flags: 1 ignore case, 2 the whole text must match, 4 say where there is no match; others -7.
 * Returns -1 ... -7 for faults, 0 for "no", else 1 + 16 * start + end of the leftmost longest match (1 for "no match"
 * with flag 4).
 * Infeasible: nothing known.
 */

#include <stddef.h>

enum { LONGEST = 7 };

/* No character of a pattern needs more than two instructions; one ends the program. */
enum { PROGRAM_SIZE = 2 * LONGEST + 1 };

enum fault {
    NO_FAULT = 0,
    NO_TEXT = -1,
    NOTHING_TO_REPEAT = -2,
    OPEN_GROUP = -3,
    STRAY_PARENTHESIS = -4,
    OPEN_CLASS = -5,
    OPEN_ESCAPE = -6,
    BAD_FLAGS = -7
};

enum { IGNORE_CASE = 1, WHOLE_TEXT = 2, INVERT = 4 };

enum opcode { LITERAL, ANY, DIGIT, WORD, CLASS, TEXT_START, TEXT_END, SPLIT, JUMP, MATCH };

struct instruction {
    enum opcode opcode;
    unsigned char literal;
    int negated;      /* CLASS */
    int first, last;  /* CLASS: where its ranges are */
    int one, other;   /* SPLIT and JUMP: distances */
};

struct range {
    unsigned char first;
    unsigned char last;
};

struct compiler {
    const char *pattern;
    int length;
    int at;
    int depth;
    int ignore_case;
    enum fault fault;
    struct instruction program[PROGRAM_SIZE];
    int size;
    struct range ranges[LONGEST];
    int ranges_used;
};

/* A set of places in the program. */
struct threads {
    int places[PROGRAM_SIZE];
    int count;
    int is_member[PROGRAM_SIZE];
};

static int length_of(const char *text) {
    int length = 0;
    while (length < LONGEST && text[length] != '\0') {
        length++;
    }
    return length;
}

static unsigned char lower(unsigned char c) {
    if (c >= 'A' && c <= 'Z') {
        return (unsigned char)(c - 'A' + 'a');
    }
    return c;
}

static int is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

static int is_word(unsigned char c) {
    unsigned char l = lower(c);
    return (l >= 'a' && l <= 'z') || is_digit(c) || c == '_';
}

/* The compiler. */

static int at_end(const struct compiler *c) {
    return c->at >= c->length;
}

static unsigned char current(const struct compiler *c) {
    return (unsigned char)c->pattern[c->at];
}

static unsigned char folded(const struct compiler *c, unsigned char character) {
    return c->ignore_case ? lower(character) : character;
}

static struct instruction *emit(struct compiler *c, enum opcode opcode) {
    struct instruction *instruction = &c->program[c->size];
    struct instruction empty = {opcode, 0, 0, 0, 0, 0, 0};
    c->size++;
    *instruction = empty;
    return instruction;
}

/* Makes room before the instructions from start on. Distances are relative, so those that move stay right. */
static struct instruction *emit_before(struct compiler *c, int start, enum opcode opcode) {
    emit(c, opcode);
    struct instruction inserted = c->program[c->size - 1];
    for (int i = c->size - 1; i > start; i--) {
        c->program[i] = c->program[i - 1];
    }
    c->program[start] = inserted;
    return &c->program[start];
}

/* One character or range of a class. */
static void compile_range(struct compiler *c) {
    struct range *range = &c->ranges[c->ranges_used];
    c->ranges_used++;
    range->first = folded(c, current(c));
    range->last = range->first;
    c->at++;
    if (c->at + 1 < c->length && current(c) == '-' && c->pattern[c->at + 1] != ']') {
        c->at++;
        range->last = folded(c, current(c));
        c->at++;
    }
}

/* A class; the bracket is behind us. A ']' that comes first is itself. */
static void compile_class(struct compiler *c) {
    struct instruction *class = emit(c, CLASS);
    class->first = c->ranges_used;
    if (!at_end(c) && current(c) == '^') {
        class->negated = 1;
        c->at++;
    }
    do {
        if (at_end(c)) {
            c->fault = OPEN_CLASS;
            return;
        }
        compile_range(c);
    } while (at_end(c) || current(c) != ']');
    class->last = c->ranges_used;
    c->at++;
}

static void compile_escape(struct compiler *c) {
    if (at_end(c)) {
        c->fault = OPEN_ESCAPE;
        return;
    }
    switch (current(c)) {
    case 'd':
        emit(c, DIGIT);
        break;
    case 'w':
        emit(c, WORD);
        break;
    default:
        emit(c, LITERAL)->literal = folded(c, current(c));
        break;
    }
    c->at++;
}

static void compile_alternatives(struct compiler *c);

static void compile_group(struct compiler *c) {
    c->depth++;
    compile_alternatives(c);
    c->depth--;
    if (c->fault != NO_FAULT) {
        return;
    }
    if (at_end(c)) {
        c->fault = OPEN_GROUP;
        return;
    }
    c->at++;
}

static void compile_atom(struct compiler *c) {
    unsigned char character = current(c);
    c->at++;
    switch (character) {
    case '(':
        compile_group(c);
        break;
    case '[':
        compile_class(c);
        break;
    case '\\':
        compile_escape(c);
        break;
    case '.':
        emit(c, ANY);
        break;
    case '^':
        emit(c, TEXT_START);
        break;
    case '$':
        emit(c, TEXT_END);
        break;
    case '*':
    case '+':
    case '?':
        c->fault = NOTHING_TO_REPEAT;
        break;
    default:
        emit(c, LITERAL)->literal = folded(c, character);
        break;
    }
}

/* What follows an atom whose instructions begin at start. Returns 0 when nothing does. */
static int compile_repeat(struct compiler *c, int start) {
    if (at_end(c)) {
        return 0;
    }
    int length = c->size - start;
    struct instruction *split;
    switch (current(c)) {
    case '*':
        split = emit_before(c, start, SPLIT);
        split->one = 1;
        split->other = length + 2;
        emit(c, JUMP)->one = -(length + 1);
        break;
    case '+':
        split = emit(c, SPLIT);
        split->one = -length;
        split->other = 1;
        break;
    case '?':
        split = emit_before(c, start, SPLIT);
        split->one = 1;
        split->other = length + 1;
        break;
    default:
        return 0;
    }
    c->at++;
    return 1;
}

static void compile_sequence(struct compiler *c) {
    while (!at_end(c) && current(c) != '|') {
        if (current(c) == ')') {
            if (c->depth == 0) {
                c->fault = STRAY_PARENTHESIS;
            }
            return;
        }
        int start = c->size;
        compile_atom(c);
        if (c->fault != NO_FAULT) {
            return;
        }
        while (compile_repeat(c, start)) {
        }
    }
}

static void compile_alternatives(struct compiler *c) {
    int start = c->size;
    compile_sequence(c);
    while (c->fault == NO_FAULT && !at_end(c) && current(c) == '|') {
        c->at++;
        struct instruction *split = emit_before(c, start, SPLIT);
        split->one = 1;
        split->other = c->size - start + 1;
        int jump = c->size;
        emit(c, JUMP);
        compile_sequence(c);
        c->program[jump].one = c->size - jump;
    }
}

static enum fault compile(struct compiler *c, const char *pattern, int ignore_case) {
    c->pattern = pattern;
    c->length = length_of(pattern);
    c->at = 0;
    c->depth = 0;
    c->ignore_case = ignore_case;
    c->fault = NO_FAULT;
    c->size = 0;
    c->ranges_used = 0;
    compile_alternatives(c);
    emit(c, MATCH);
    return c->fault;
}

/* The machine. */

static int is_in_class(const struct compiler *c, const struct instruction *class, unsigned char character) {
    for (int i = class->first; i < class->last; i++) {
        if (character >= c->ranges[i].first && character <= c->ranges[i].last) {
            return !class->negated;
        }
    }
    return class->negated;
}

/* Whether an instruction takes a character. */
static int takes(const struct compiler *c, const struct instruction *instruction, unsigned char character) {
    switch (instruction->opcode) {
    case LITERAL:
        return character == instruction->literal;
    case ANY:
        return character != '\n';
    case DIGIT:
        return is_digit(character);
    case WORD:
        return is_word(character);
    case CLASS:
        return is_in_class(c, instruction, character);
    default:
        return 0;
    }
}

static void clear(struct threads *threads) {
    threads->count = 0;
    for (int i = 0; i < PROGRAM_SIZE; i++) {
        threads->is_member[i] = 0;
    }
}

/* Adds a place and all that it leads to without a character. */
static void add(const struct compiler *c, struct threads *threads, int place, int is_start, int is_end) {
    if (threads->is_member[place]) {
        return;
    }
    threads->is_member[place] = 1;
    const struct instruction *instruction = &c->program[place];
    switch (instruction->opcode) {
    case SPLIT:
        add(c, threads, place + instruction->one, is_start, is_end);
        add(c, threads, place + instruction->other, is_start, is_end);
        break;
    case JUMP:
        add(c, threads, place + instruction->one, is_start, is_end);
        break;
    case TEXT_START:
        if (is_start) {
            add(c, threads, place + 1, is_start, is_end);
        }
        break;
    case TEXT_END:
        if (is_end) {
            add(c, threads, place + 1, is_start, is_end);
        }
        break;
    default:
        threads->places[threads->count] = place;
        threads->count++;
        break;
    }
}

static int has_match(const struct compiler *c, const struct threads *threads) {
    return threads->is_member[c->size - 1];
}

/* Where the longest match from start on ends, or -1. */
static int longest_match(const struct compiler *c, const char *text, int length, int start) {
    struct threads sets[2];
    struct threads *now = &sets[0];
    struct threads *next = &sets[1];
    int end = -1;
    clear(now);
    add(c, now, 0, start == 0, start == length);
    for (int at = start; now->count > 0; at++) {
        if (has_match(c, now)) {
            end = at;
        }
        clear(next);
        if (at < length) {
            unsigned char character = folded(c, (unsigned char)text[at]);
            for (int i = 0; i < now->count; i++) {
                int place = now->places[i];
                if (takes(c, &c->program[place], character)) {
                    add(c, next, place + 1, 0, at + 1 == length);
                }
            }
        }
        struct threads *old = now;
        now = next;
        next = old;
    }
    return end;
}

static int search(const struct compiler *c, const char *text, int flags) {
    int length = length_of(text);
    int last_start = (flags & WHOLE_TEXT) != 0 ? 0 : length;
    for (int start = 0; start <= last_start; start++) {
        int end = longest_match(c, text, length, start);
        if (end < 0) {
            continue;
        }
        if ((flags & WHOLE_TEXT) != 0 && end < length) {
            continue;
        }
        return 1 + 16 * start + end;
    }
    return 0;
}

int grep(const char *pattern, const char *text, int flags) {
    struct compiler compiler;
    if (pattern == NULL || text == NULL) {
        return NO_TEXT;
    }
    if (flags < 0 || flags > 7) {
        return BAD_FLAGS;
    }
    enum fault fault = compile(&compiler, pattern, (flags & IGNORE_CASE) != 0);
    if (fault != NO_FAULT) {
        return fault;
    }
    int found = search(&compiler, text, flags);
    if ((flags & INVERT) != 0) {
        return found == 0;
    }
    return found;
}
