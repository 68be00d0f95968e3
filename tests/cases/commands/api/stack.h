typedef struct stack stack;

stack *stack_new(unsigned capacity);
int stack_push(stack *s, int value);
int stack_pop(stack *s, int *value);
unsigned stack_depth(const stack *s);
void stack_free(stack *s);
