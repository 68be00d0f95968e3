/* What is found for one function helps another: `is_new` needs one run before it comes to the text. */

int version(const char *text)
{
    if (text[0] != 'v')
        return 0;
    if (text[1] != '1')
        return 1;
    if (text[2] != '.')
        return 2;
    if (text[3] != '2')
        return 3;
    if (text[4] != '.')
        return 4;
    return 5;
}

int is_new(int kind, const char *text)
{
    if (kind < 17)
        return 0;
    return version(text) > 2;
}
