/* http-parser: requests and responses in one piece and in two, URLs, with callbacks that go on, stop or pause. */
#include "entry.h"
#include "http_parser.h"

static int answer;

static int on_event(http_parser *parser)
{
    (void)parser;
    return 0;
}

static int on_headers(http_parser *parser)
{
    (void)parser;
    return answer;
}

static int on_data(http_parser *parser, const char *at, size_t length)
{
    (void)parser;
    (void)at;
    return answer == 7 && length == 3;
}

static void execute(const uint8_t *data, size_t size, enum http_parser_type type, size_t cut)
{
    http_parser parser;
    http_parser_settings settings;
    size_t used = 0;
    http_parser_settings_init(&settings);
    settings.on_message_begin = settings.on_message_complete = on_event;
    settings.on_chunk_header = settings.on_chunk_complete = on_event;
    settings.on_headers_complete = on_headers;
    settings.on_url = settings.on_status = settings.on_header_field = on_data;
    settings.on_header_value = settings.on_body = on_data;
    ENTER("http_parser_init", http_parser_init(&parser, type));
    ENTER("http_parser_execute", used = http_parser_execute(&parser, &settings, (const char *)data, cut));
    ENTER("http_should_keep_alive", (void)http_should_keep_alive(&parser));
    ENTER("http_body_is_final", (void)http_body_is_final(&parser));
    if (used == cut)
        ENTER("http_parser_execute",
              (void)http_parser_execute(&parser, &settings, (const char *)data + cut, size - cut));
    if (HTTP_PARSER_ERRNO(&parser) == HPE_OK || HTTP_PARSER_ERRNO(&parser) == HPE_PAUSED)
        ENTER("http_parser_pause", http_parser_pause(&parser, size & 1));
    ENTER("http_errno_name", (void)http_errno_name(HTTP_PARSER_ERRNO(&parser)));
    ENTER("http_status_str", (void)http_status_str((enum http_status)parser.status_code));
    ENTER("http_method_str", (void)http_method_str((enum http_method)parser.method));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_parser_url url;
    if (size < 2)
        return 0;
    answer = data[0] & 7;
    http_parser_url_init(&url);
    ENTER("http_parser_parse_url",
          (void)http_parser_parse_url((const char *)data + 2, size - 2, data[0] & 8, &url));
    execute(data + 2, size - 2, (enum http_parser_type)(data[0] >> 6 & 1), size - 2);
    execute(data + 2, size - 2, HTTP_BOTH, (size_t)data[1] % (size - 1));
    return 0;
}
