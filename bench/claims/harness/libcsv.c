/* libcsv: a text parsed in pieces with all options, and written. */
#include "csv.h"
#include "entry.h"

static void on_field(void *field, size_t size, void *data)
{
    (void)field;
    *(size_t *)data += size;
}

static void on_row(int c, void *data)
{
    (void)c;
    ++*(size_t *)data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char written[8192];
    struct csv_parser parser;
    size_t total = 0, used = 0, half;
    if (size < 2)
        return 0;
    half = (size_t)data[1] % (size - 1);
    ENTER("csv_init", (void)csv_init(&parser, data[0]));
    if (data[1] & 1)
        ENTER("csv_set_delim", csv_set_delim(&parser, ';'));
    ENTER("csv_parse", used = csv_parse(&parser, data + 2, half, on_field, on_row, &total));
    ENTER("csv_parse", used = csv_parse(&parser, data + 2 + half, size - 2 - half, on_field, on_row, &total));
    ENTER("csv_error", (void)csv_error(&parser));
    ENTER("csv_strerror", (void)csv_strerror(csv_error(&parser)));
    ENTER("csv_fini", (void)csv_fini(&parser, on_field, on_row, &total));
    ENTER("csv_free", csv_free(&parser));
    ENTER("csv_write", used = csv_write(written, sizeof written / 2, data, size));
    ENTER("csv_write2", used = csv_write2(written, size / 2, data, size, '\''));
    (void)used;
    return 0;
}
