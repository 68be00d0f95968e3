struct node { int value; struct node *next; };

int first(const struct node *node)
{
    if (node->value > 5)
        return 1;
    return 0;
}
