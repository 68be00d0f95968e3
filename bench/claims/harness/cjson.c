/* cJSON through its interface: parse, print, copy, compare, change. */
#include "cJSON.h"
#include "entry.h"

static void change(cJSON *item, const char *key)
{
    cJSON *other = 0, *taken = 0;
    int n = 0;
    cJSON_bool done = 0;
    ENTER("cJSON_GetArraySize", n = cJSON_GetArraySize(item));
    ENTER("cJSON_GetArrayItem", other = cJSON_GetArrayItem(item, n / 2));
    ENTER("cJSON_GetObjectItem", other = cJSON_GetObjectItem(item, key));
    ENTER("cJSON_GetObjectItemCaseSensitive", other = cJSON_GetObjectItemCaseSensitive(item, key));
    ENTER("cJSON_HasObjectItem", done = cJSON_HasObjectItem(item, key));
    ENTER("cJSON_GetStringValue", (void)cJSON_GetStringValue(other));
    ENTER("cJSON_GetNumberValue", (void)cJSON_GetNumberValue(other));
    if (cJSON_IsObject(item)) {
        ENTER("cJSON_AddStringToObject", (void)cJSON_AddStringToObject(item, key, "value"));
        ENTER("cJSON_AddNumberToObject", (void)cJSON_AddNumberToObject(item, "n", 1.5));
        ENTER("cJSON_ReplaceItemInObject", done = cJSON_ReplaceItemInObject(item, key, cJSON_CreateNull()));
        ENTER("cJSON_DetachItemFromObject", taken = cJSON_DetachItemFromObject(item, key));
        ENTER("cJSON_Delete", cJSON_Delete(taken));
        ENTER("cJSON_DeleteItemFromObject", cJSON_DeleteItemFromObject(item, "n"));
    }
    if (cJSON_IsArray(item)) {
        ENTER("cJSON_InsertItemInArray", done = cJSON_InsertItemInArray(item, n / 2, cJSON_CreateTrue()));
        ENTER("cJSON_AddItemToArray", done = cJSON_AddItemToArray(item, cJSON_CreateNumber(3)));
        ENTER("cJSON_ReplaceItemInArray", done = cJSON_ReplaceItemInArray(item, 0, cJSON_CreateFalse()));
        ENTER("cJSON_DetachItemFromArray", taken = cJSON_DetachItemFromArray(item, n / 2));
        ENTER("cJSON_Delete", cJSON_Delete(taken));
        ENTER("cJSON_DeleteItemFromArray", cJSON_DeleteItemFromArray(item, n));
    }
    (void)done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = entry_text(data, size), *printed = 0;
    static char buffer[512];
    cJSON *item = 0, *copy = 0;
    cJSON_bool equal;
    const char *end = 0;
    ENTER("cJSON_Parse", item = cJSON_Parse(text));
    ENTER("cJSON_ParseWithLength", copy = cJSON_ParseWithLength(text, size));
    ENTER("cJSON_Compare", equal = cJSON_Compare(item, copy, size & 1));
    ENTER("cJSON_Delete", cJSON_Delete(copy));
    ENTER("cJSON_ParseWithOpts", copy = cJSON_ParseWithOpts(text, &end, 1));
    cJSON_Delete(copy);
    ENTER("cJSON_Print", printed = cJSON_Print(item));
    free(printed);
    ENTER("cJSON_PrintUnformatted", printed = cJSON_PrintUnformatted(item));
    free(printed);
    ENTER("cJSON_PrintBuffered", printed = cJSON_PrintBuffered(item, 1, 1));
    free(printed);
    ENTER("cJSON_PrintPreallocated", (void)cJSON_PrintPreallocated(item, buffer, (int)(size & 511), 1));
    ENTER("cJSON_Duplicate", copy = cJSON_Duplicate(item, 1));
    if (item)
        change(item, size > 4 ? text + size - 2 : "key");
    ENTER("cJSON_Compare", equal = cJSON_Compare(item, copy, 1));
    (void)equal;
    cJSON_Delete(copy);
    cJSON_Delete(item);
    ENTER("cJSON_Minify", cJSON_Minify(text));
    free(text);
    return 0;
}
