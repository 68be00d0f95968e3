/* tinyexpr: expressions compiled with variables, functions and closures, evaluated and freed. */
#include "tinyexpr.h"
#include "entry.h"

static double half(double x) { return x / 2; }
static double sum3(double x, double y, double z) { return x + y + z; }
static double cell(void *context, double index) { return *(double *)context + index; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double x = 3, y = -0.5, context = 7;
    te_variable variables[] = {
        {"x", &x, TE_VARIABLE, 0},
        {"y_1", &y, TE_VARIABLE, 0},
        {"half", half, TE_FUNCTION1 | TE_FLAG_PURE, 0},
        {"sum", sum3, TE_FUNCTION3, 0},
        {"cell", cell, TE_CLOSURE1, &context},
    };
    char *text = entry_text(data, size);
    te_expr *expression = 0;
    int error = 0;
    double value = 0;
    ENTER("te_interp", value = te_interp(text, &error));
    ENTER("te_interp", value = te_interp(text, 0));
    ENTER("te_compile", expression = te_compile(text, variables, 5, &error));
    if (expression)
        ENTER("te_eval", value = te_eval(expression));
    ENTER("te_free", te_free(expression));
    ENTER("te_compile", expression = te_compile(text, 0, 0, 0));
    if (expression)
        ENTER("te_eval", value = te_eval(expression));
    te_free(expression);
    (void)value;
    free(text);
    return 0;
}
