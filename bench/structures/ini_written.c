/* What a person would test of inih: sections, names, values, comments, long and broken lines, files. */
#include "ini.h"
#include <stdio.h>
#include <string.h>

static int n_calls;

static int handle(void *user, const char *section, const char *name, const char *value)
{
    (void)section;
    (void)value;
    n_calls++;
    return strcmp(name, user ? (const char *)user : "") != 0;
}

static int expect(const char *text, int line, int calls)
{
    n_calls = 0;
    int error = ini_parse_string(text, handle, NULL);
    if (error != line || n_calls != calls) {
        printf("%s: error %d, %d calls\n", text, error, n_calls);
        return 1;
    }
    return 0;
}

int main(void)
{
    int wrong = 0;
    wrong += expect("", 0, 0);
    wrong += expect("\n\n", 0, 0);
    wrong += expect("[section]\nname=value\n", 0, 1);
    wrong += expect("[section]\nname : value  \nother = 2 ; comment\n", 0, 2);
    wrong += expect("; comment\n# another\n  name = value", 0, 1);
    wrong += expect("name = value\n  goes on\n\nnext=1\n", 0, 3);
    wrong += expect("\xEF\xBB\xBFname=value\n", 0, 1);
    wrong += expect("\xEFname=value\n\xEF\xBBname=value\n", 0, 2);
    wrong += expect("\xEF\xBBname=value\n", 0, 1);
    wrong += expect("[broken\nname=value\n", 1, 1);
    wrong += expect("[broken ; ]\n[again\n", 1, 0);
    wrong += expect("no value\nno value\n", 1, 0);
    char longer[600];
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "name=", 5);
    longer[sizeof longer - 1] = '\0';
    wrong += expect(longer, 2, 1);
    n_calls = 0;
    wrong += ini_parse_string("stop=1\nstop=2\n  more\n", handle, "stop") != 1 || n_calls != 3;
    FILE *file = fopen("written.ini", "w");
    fputs("[a]\nb=c\n", file);
    fclose(file);
    n_calls = 0;
    wrong += ini_parse("written.ini", handle, NULL) != 0 || n_calls != 1;
    wrong += ini_parse("missing.ini", handle, NULL) != -1;
    return wrong;
}
