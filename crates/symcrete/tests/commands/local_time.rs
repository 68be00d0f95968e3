//! Functions of the library that return objects of their own.

use super::{file, folder, function, symcrete};

#[test]
fn local_time_is_there() {
    let folder = folder();
    let text = "#include <time.h>\n\
        int late(int t) { time_t at = t; struct tm *tm = localtime(&at); return tm->tm_hour > 12 ? 1 : 2; }\n\
        int day(int t) { time_t at = t; return ctime(&at)[0] == 'M' ? 1 : 2; }\n";
    let source = file(&folder, "times.c", text);
    let found = symcrete(&format!("gen {source} --no-out --json")).json();
    for name in ["late", "day"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], 2, "{name}: {branches}");
    }
    assert_eq!(found["bugs"], serde_json::Value::Array(vec![]));
}
