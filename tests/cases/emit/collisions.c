/* Not for Unity: its header includes others, which declare functions of these names. */
/* Names that test files would like to use themselves, and no headers at all. */
enum { OK, BAD };
static int write(int disk, int id) { return disk + id; }
int getdelim(int result, int CHECK_) { return result - CHECK_; }
int getline(int x) { return write(x, 1); }
int putw(int x) { return x ? OK : BAD; }
typedef int number;
number add(number number, int count) { return number + count; }
int counter;
int bump(int counter_) { return counter += counter_; }

//@ {"unit": "getdelim", "input": {"result": 3, "CHECK_": 1}, "returns": ["i32", 2]}
//@ {"unit": "getline", "input": {"x": 3}, "returns": ["i32", 4]}
//@ {"unit": "putw", "input": {"x": 3}, "returns": ["i32", 0]}
//@ {"unit": "add", "input": {"number": 3, "count": 4}, "returns": ["i32", 7]}
//@ {"unit": "bump", "globals": true, "input": {"counter": 3, "counter_": 4}, "returns": ["i32", 7], "changes": [["counter", "i32", 7]]}
//@ {"unit": "write", "input": {"disk": 3, "id": 4}, "returns": ["i32", 7]}
