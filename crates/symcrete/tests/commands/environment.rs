//! What the compiler finds through the environment: the cache must not hide a change of it.

use super::{command, file, finish, folder};

#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn folders_of_headers_that_a_variable_names_are_no_secret_to_the_cache() {
    for variable in ["CPATH", "C_INCLUDE_PATH"] {
        let folder = folder();
        let source = file(&folder, "a.c", "#include <limit.h>\nint f(void) { return LIMIT; }\n");
        for (name, limit) in [("first", 3), ("second", 4)] {
            std::fs::create_dir(folder.path().join(name)).expect("ours");
            file(&folder, &format!("{name}/limit.h"), &format!("#define LIMIT {limit}\n"));
        }
        let returned = |value: &std::path::Path| {
            let mut command = command(&["run", &source]);
            command.env(variable, value);
            finish(command).text().to_string()
        };
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        for _ in 0..2 {
            assert!(returned(&first).contains("returned 3"), "{variable}");
            assert!(returned(&second).contains("returned 4"), "{variable}");
        }
        // A header that is not found without the variable is not found because the cache knows it.
        let complaint = finish(command(&["run", &source])).complaint(2);
        assert!(complaint.contains("'limit.h' file not found"), "{variable}: {complaint}");
        let both = format!("{}:{}", first.display(), second.display());
        assert!(returned(both.as_ref()).contains("returned 3"), "{variable}");
        std::fs::write(first.join("limit.h"), "#define LIMIT 5\n").expect("ours");
        assert!(returned(both.as_ref()).contains("returned 5"), "{variable}");
        std::fs::remove_file(first.join("limit.h")).expect("ours");
        assert!(returned(both.as_ref()).contains("returned 4"), "{variable}");
    }
}
