/* Functions that are declared and nowhere defined, of every kind of result. */
struct reading {
    int value;
    short flags;
};

int read_sensor(int channel);
double temperature(void);
const struct reading *last_reading(const char *name);
char *name_of(int id);
void log_line(const char *text);

int poll(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += read_sensor(i);
    log_line("done");
    return total;
}

int is_hot(void) { return temperature() > 30.5; }

int last(void)
{
    const struct reading *reading = last_reading("x");
    return reading ? reading->value + reading->flags : -1;
}

int initial(int id)
{
    char *name = name_of(id);
    return name ? name[0] : 0;
}

//@ {"unit": "poll", "input": {"n": 3}, "returns": ["i32", 6], "drawn": [["read_sensor()", "i32", 10], ["read_sensor()#1", "i32", -5], ["read_sensor()#2", "i32", 1]]}
//@ {"unit": "poll", "input": {"n": 0}, "returns": ["i32", 0]}
//@ {"unit": "is_hot", "input": {}, "returns": ["i32", 1], "drawn": [["temperature()", "f64", 30.500000000000004]]}
//@ {"unit": "last", "input": {}, "returns": ["i32", -1], "drawn": [["last_reading()", "bool", 0]]}
//@ {"unit": "last", "input": {}, "returns": ["i32", 258], "drawn": [["last_reading()", "bool", 1], ["*last_reading()[0]", "u8", 1], ["*last_reading()[1]", "u8", 1], ["*last_reading()[2]", "u8", 0], ["*last_reading()[3]", "u8", 0], ["*last_reading()[4]", "u8", 1], ["*last_reading()[5]", "u8", 0], ["*last_reading()[6]", "u8", 0], ["*last_reading()[7]", "u8", 0]]}
//@ {"unit": "initial", "input": {"id": 1}, "returns": ["i32", 65], "drawn": [["name_of()", "bool", 1], ["*name_of()[0]", "u8", 65]]}
