/* minmea: a sentence through every parser, strict and not; with its own checksum put behind it, so that parsers get past it. */
#include "minmea.h"
#include "entry.h"
#include <stdio.h>
#include <time.h>

static void parse(const char *sentence)
{
    union {
        struct minmea_sentence_gbs gbs;
        struct minmea_sentence_rmc rmc;
        struct minmea_sentence_gga gga;
        struct minmea_sentence_gsa gsa;
        struct minmea_sentence_gll gll;
        struct minmea_sentence_gst gst;
        struct minmea_sentence_gsv gsv;
        struct minmea_sentence_vtg vtg;
        struct minmea_sentence_zda zda;
    } frame;
    struct timespec time;
    char talker[3];
    bool done = false;
    int id = 0;
    ENTER("minmea_check", done = minmea_check(sentence, false));
    ENTER("minmea_check", done = minmea_check(sentence, true));
    ENTER("minmea_talker_id", done = minmea_talker_id(talker, sentence));
    ENTER("minmea_sentence_id", id = minmea_sentence_id(sentence, false));
    ENTER("minmea_parse_gbs", done = minmea_parse_gbs(&frame.gbs, sentence));
    ENTER("minmea_parse_rmc", done = minmea_parse_rmc(&frame.rmc, sentence));
    if (done)
        ENTER("minmea_gettime", id = minmea_gettime(&time, &frame.rmc.date, &frame.rmc.time));
    if (done) {
        ENTER("minmea_tofloat", (void)minmea_tofloat(&frame.rmc.speed));
        ENTER("minmea_tocoord", (void)minmea_tocoord(&frame.rmc.latitude));
        ENTER("minmea_rescale", (void)minmea_rescale(&frame.rmc.course, 10));
    }
    ENTER("minmea_parse_gga", done = minmea_parse_gga(&frame.gga, sentence));
    ENTER("minmea_parse_gsa", done = minmea_parse_gsa(&frame.gsa, sentence));
    ENTER("minmea_parse_gll", done = minmea_parse_gll(&frame.gll, sentence));
    ENTER("minmea_parse_gst", done = minmea_parse_gst(&frame.gst, sentence));
    ENTER("minmea_parse_gsv", done = minmea_parse_gsv(&frame.gsv, sentence));
    ENTER("minmea_parse_vtg", done = minmea_parse_vtg(&frame.vtg, sentence));
    ENTER("minmea_parse_zda", done = minmea_parse_zda(&frame.zda, sentence));
    (void)done;
    (void)id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = entry_text(data, size);
    static char sentence[300];
    uint8_t sum = 0;
    parse(text);
    ENTER("minmea_checksum", sum = minmea_checksum(text));
    snprintf(sentence, sizeof sentence, "%.250s*%02X\r\n", text, sum);
    parse(sentence);
    free(text);
    return 0;
}
