/* ptokens: a tokenizer in the manner of "print_tokens": it reads a string and describes its tokens in a buffer.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: ptokens(text). Reads at most 7 characters. Our own program: keywords, identifiers, numbers
 * (decimal, hexadecimal, with a fraction), strings and character constants with escapes, comments to the end of the
 * line and in braces, operators of one and two characters, error tokens.
 * Returns -1 for no text; else 10000 times the number of error tokens, plus 1000 times the number of tokens, plus a
 * checksum below 1000 of the descriptions.
 * Infeasible: nothing known.
 */

#include <stddef.h>

enum { LONGEST_TEXT = 7 };

/* At most 7 tokens (and the end), each described by its name, its text, and five characters more. */
enum { OUTPUT_SIZE = 256 };

enum { END_OF_TEXT = -1 };

enum kind {
    KEYWORD,
    IDENTIFIER,
    INTEGER,
    HEXADECIMAL,
    FRACTION,
    STRING,
    CHARACTER,
    COMMENT,
    OPERATOR,
    BRACKET,
    ERROR,
    END
};

/* Why a token is an error. */
enum fault { NO_FAULT, UNKNOWN_CHARACTER, OPEN_STRING, OPEN_COMMENT, BAD_ESCAPE, BAD_NUMBER, BAD_CHARACTER };

struct source {
    const char *text;
    int length;
    int position;
    int line;
};

struct token {
    enum kind kind;
    enum fault fault;
    int start;
    int length;
};

struct output {
    char text[OUTPUT_SIZE];
    int length;
};

static const char *const KEYWORDS[] = {"and", "or", "if", "xor", "lambda", NULL};

static const char *const TWO_CHARACTER_OPERATORS[] = {"=>", "<=", ">=", "==", ":=", NULL};

static const char *const KIND_NAMES[] = {
    "keyword", "id", "int", "hex", "frac", "str", "char", "comment", "op", "bracket", "error", "eof",
};

/* Characters. */

static int is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(int c) {
    return c >= '0' && c <= '9';
}

static int is_hexadecimal_digit(int c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_blank(int c) {
    return c == ' ' || c == '\t' || c == '\n';
}

static int is_bracket(int c) {
    switch (c) {
    case '(':
    case ')':
    case '[':
    case ']':
        return 1;
    default:
        return 0;
    }
}

static int is_operator(int c) {
    switch (c) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '<':
    case '>':
    case '=':
    case ':':
    case ',':
        return 1;
    default:
        return 0;
    }
}

/* The source. */

static void open_source(struct source *source, const char *text) {
    source->text = text;
    source->length = 0;
    source->position = 0;
    source->line = 1;
    while (source->length < LONGEST_TEXT && text[source->length] != '\0') {
        source->length++;
    }
}

static int peek(const struct source *source) {
    if (source->position >= source->length) {
        return END_OF_TEXT;
    }
    return (unsigned char)source->text[source->position];
}

static int take(struct source *source) {
    int c = peek(source);
    if (c != END_OF_TEXT) {
        source->position++;
    }
    if (c == '\n') {
        source->line++;
    }
    return c;
}

static int take_if(struct source *source, int wanted) {
    if (peek(source) != wanted) {
        return 0;
    }
    source->position++;
    return 1;
}

static void skip_blanks(struct source *source) {
    while (is_blank(peek(source))) {
        take(source);
    }
}

/* Tokens. */

static void fail(struct token *token, enum fault fault) {
    token->kind = ERROR;
    token->fault = fault;
}

static int has_text(const struct source *source, const struct token *token, const char *word) {
    int i = 0;
    while (i < token->length) {
        if (word[i] == '\0' || source->text[token->start + i] != word[i]) {
            return 0;
        }
        i++;
    }
    return word[i] == '\0';
}

static int is_in(const struct source *source, const struct token *token, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++) {
        if (has_text(source, token, words[i])) {
            return 1;
        }
    }
    return 0;
}

static void scan_word(struct source *source, struct token *token) {
    while (is_letter(peek(source)) || is_digit(peek(source))) {
        take(source);
    }
    token->length = source->position - token->start;
    token->kind = is_in(source, token, KEYWORDS) ? KEYWORD : IDENTIFIER;
}

/* The digits after "0x"; there must be one. */
static void scan_hexadecimal(struct source *source, struct token *token) {
    int digits = 0;
    while (is_hexadecimal_digit(peek(source))) {
        take(source);
        digits++;
    }
    token->kind = HEXADECIMAL;
    if (digits == 0) {
        fail(token, BAD_NUMBER);
    }
}

/* A number; a letter right after it makes it an error. */
static void scan_number(struct source *source, struct token *token) {
    int first = take(source);
    token->kind = INTEGER;
    if (first == '0' && take_if(source, 'x')) {
        scan_hexadecimal(source, token);
    } else {
        while (is_digit(peek(source))) {
            take(source);
        }
        if (take_if(source, '.')) {
            token->kind = FRACTION;
            if (!is_digit(peek(source))) {
                fail(token, BAD_NUMBER);
            }
            while (is_digit(peek(source))) {
                take(source);
            }
        }
    }
    if (is_letter(peek(source))) {
        while (is_letter(peek(source)) || is_digit(peek(source))) {
            take(source);
        }
        fail(token, BAD_NUMBER);
    }
}

/* The character after a backslash. */
static int scan_escape(struct source *source) {
    switch (take(source)) {
    case 'n':
    case 't':
    case '\\':
    case '"':
        return 1;
    default:
        return 0;
    }
}

/* A string ends at its quote; a line or text that ends first is an error. */
static void scan_string(struct source *source, struct token *token) {
    take(source);
    token->kind = STRING;
    for (;;) {
        int c = peek(source);
        if (c == END_OF_TEXT || c == '\n') {
            fail(token, OPEN_STRING);
            return;
        }
        take(source);
        if (c == '"') {
            return;
        }
        if (c == '\\' && !scan_escape(source)) {
            fail(token, BAD_ESCAPE);
        }
    }
}

/* '#' and a character, or '#', a backslash and an escape. */
static void scan_character(struct source *source, struct token *token) {
    take(source);
    token->kind = CHARACTER;
    int c = peek(source);
    if (c == END_OF_TEXT || is_blank(c)) {
        fail(token, BAD_CHARACTER);
        return;
    }
    take(source);
    if (c == '\\' && !scan_escape(source)) {
        fail(token, BAD_ESCAPE);
    }
}

static void scan_line_comment(struct source *source, struct token *token) {
    token->kind = COMMENT;
    while (peek(source) != END_OF_TEXT && peek(source) != '\n') {
        take(source);
    }
}

/* Comments in braces nest. */
static void scan_block_comment(struct source *source, struct token *token) {
    int depth = 0;
    token->kind = COMMENT;
    do {
        int c = take(source);
        if (c == END_OF_TEXT) {
            fail(token, OPEN_COMMENT);
            return;
        }
        if (c == '{') {
            depth++;
        } else if (c == '}') {
            depth--;
        }
    } while (depth > 0);
}

static void scan_operator(struct source *source, struct token *token) {
    take(source);
    token->kind = OPERATOR;
    if (peek(source) == END_OF_TEXT) {
        return;
    }
    token->length = 2;
    if (is_in(source, token, TWO_CHARACTER_OPERATORS)) {
        take(source);
    }
}

static void scan_token(struct source *source, struct token *token) {
    skip_blanks(source);
    token->fault = NO_FAULT;
    token->start = source->position;
    token->length = 0;
    int c = peek(source);
    if (c == END_OF_TEXT) {
        token->kind = END;
    } else if (is_letter(c)) {
        scan_word(source, token);
    } else if (is_digit(c)) {
        scan_number(source, token);
    } else if (c == '"') {
        scan_string(source, token);
    } else if (c == '#') {
        scan_character(source, token);
    } else if (c == ';') {
        scan_line_comment(source, token);
    } else if (c == '{') {
        scan_block_comment(source, token);
    } else if (is_bracket(c)) {
        take(source);
        token->kind = BRACKET;
    } else if (is_operator(c)) {
        scan_operator(source, token);
    } else {
        take(source);
        fail(token, UNKNOWN_CHARACTER);
    }
    token->length = source->position - token->start;
}

/* Descriptions. */

static void put(struct output *output, char c) {
    output->text[output->length] = c;
    output->length++;
}

static void put_text(struct output *output, const char *text) {
    for (int i = 0; text[i] != '\0'; i++) {
        put(output, text[i]);
    }
}

/* The text of a token, with what cannot be printed as a question mark. */
static void put_token_text(struct output *output, const struct source *source, const struct token *token) {
    for (int i = 0; i < token->length; i++) {
        int c = (unsigned char)source->text[token->start + i];
        if (c < ' ' || c > '~') {
            put(output, '?');
        } else {
            put(output, (char)c);
        }
    }
}

static void describe(struct output *output, const struct source *source, const struct token *token) {
    put_text(output, KIND_NAMES[token->kind]);
    switch (token->kind) {
    case KEYWORD:
    case BRACKET:
    case OPERATOR:
        put(output, ':');
        put_token_text(output, source, token);
        break;
    case STRING:
    case CHARACTER:
    case IDENTIFIER:
        put(output, '"');
        put_token_text(output, source, token);
        put(output, '"');
        break;
    case ERROR:
        put(output, '!');
        put(output, (char)('0' + token->fault));
        put_token_text(output, source, token);
        break;
    default:
        put(output, '=');
        put_token_text(output, source, token);
        break;
    }
    put(output, '\n');
}

static int checksum(const struct output *output) {
    int sum = 0;
    for (int i = 0; i < output->length; i++) {
        sum += (unsigned char)output->text[i];
    }
    return sum % 1000;
}

int ptokens(const char *text) {
    struct source source;
    struct output output;
    struct token token;
    int tokens = 0;
    int errors = 0;
    if (text == NULL) {
        return -1;
    }
    output.length = 0;
    open_source(&source, text);
    do {
        scan_token(&source, &token);
        describe(&output, &source, &token);
        if (token.kind == ERROR) {
            errors++;
        } else if (token.kind != END) {
            tokens++;
        }
    } while (token.kind != END);
    if (source.line > 1) {
        put(&output, 'L');
        put(&output, (char)('0' + source.line));
    }
    return 10000 * errors + 1000 * tokens + checksum(&output);
}
