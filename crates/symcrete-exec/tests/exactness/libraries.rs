//! Three C libraries that nobody here wrote, input bytes symbolic.
//!
//! The sources are those that the `-sys` crates carry; they are compiled for WebAssembly here. Each
//! program packs a text concretely, then unpacks it with every packed byte symbolic: the result must be
//! the text, and every constraint on the way must hold on the packed bytes.

#![expect(clippy::disallowed_methods, reason = "runs the C compiler and reads what it wrote")]

use crate::differential::ENGINE;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;
use symcrete_exec::{Called, Config, Executable, Process};
use symcrete_program::{Cell, Outcome, Scalar};
use symcrete_term::{Valuation, Value};

const TEXT: &[u8] = b"she sells sea shells by the sea shore, she sells sea shells!";

struct Library {
    package: &'static str,
    /// Below the package.
    folder: &'static str,
    sources: &'static [&'static str],
    flags: &'static [&'static str],
    /// Defines `int pack(int n)` and `int unpack(int n)` between `text` and `packed`.
    driver: &'static str,
}

const LIBRARIES: &[Library] = &[
    Library {
        package: "libz-sys",
        folder: "src/zlib",
        sources: &[
            "adler32.c",
            "compress.c",
            "crc32.c",
            "deflate.c",
            "inffast.c",
            "inflate.c",
            "inftrees.c",
            "trees.c",
            "uncompr.c",
            "zutil.c",
        ],
        flags: &[],
        driver: r#"
            #include "zlib.h"
            int pack(int n) {
                uLongf size = sizeof packed;
                return compress(packed, &size, text, n) ? -1 : (int)size;
            }
            int unpack(int n) {
                uLongf size = sizeof text;
                return uncompress(text, &size, packed, n) ? -1 : (int)size;
            }
        "#,
    },
    Library {
        package: "lz4-sys",
        folder: "liblz4/lib",
        sources: &["lz4.c"],
        flags: &[],
        driver: r#"
            #include "lz4.h"
            int pack(int n) {
                return LZ4_compress_default((char*)text, (char*)packed, n, sizeof packed);
            }
            int unpack(int n) {
                return LZ4_decompress_safe((char*)packed, (char*)text, n, sizeof text);
            }
        "#,
    },
    Library {
        package: "bzip2-sys",
        folder: "bzip2-1.0.8",
        sources: &[
            "blocksort.c",
            "bzlib.c",
            "compress.c",
            "crctable.c",
            "decompress.c",
            "huffman.c",
            "randtable.c",
        ],
        flags: &["-DBZ_NO_STDIO"],
        driver: r#"
            #include "bzlib.h"
            void bz_internal_error(int code) { __builtin_trap(); }
            int pack(int n) {
                unsigned size = sizeof packed;
                return BZ2_bzBuffToBuffCompress((char*)packed, &size, (char*)text, n, 1, 0, 0)
                    ? -1 : (int)size;
            }
            int unpack(int n) {
                unsigned size = sizeof text;
                return BZ2_bzBuffToBuffDecompress((char*)text, &size, (char*)packed, n, 1, 0)
                    ? -1 : (int)size;
            }
        "#,
    },
];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |library: &'static Library| {
        Trial::test(format!("libraries::{}", library.package), move || {
            check(library).map_err(Failed::from)
        })
    };
    LIBRARIES.iter().map(trial).collect()
}

fn check(library: &Library) -> Result<(), String> {
    let wasm = compile(library)?;
    let executable =
        ENGINE.prepare(&wasm, &Config::standard()).map_err(|error| error.to_string())?;
    let packed = pack(&executable)?;
    let mut process = executable.start(50_000_000);
    initialize(&mut process)?;
    let address = number(&mut process, "packed_address", &[])?;
    process.write(address, &packed, Some("packed")).map_err(|error| error.to_string())?;
    let length = number(&mut process, "unpack", &[packed.len() as u32])?;
    let text = number(&mut process, "text_address", &[])? as usize;
    if process.memory()[text..text + length as usize] != *TEXT {
        return Err("unpacked something else".to_string());
    }
    let valuation: Valuation = packed
        .iter()
        .enumerate()
        .map(|(i, &byte)| {
            let var = process.terms().find_var(&format!("packed[{i}]")).unwrap();
            (var, Value::bv(8, u64::from(byte)))
        })
        .collect();
    let literals: Vec<_> = process.path().iter().map(|constraint| constraint.literal).collect();
    if !process.terms().satisfies(&literals, &valuation) {
        return Err("a constraint is false on its own input".to_string());
    }
    match literals.len() > packed.len() {
        true => Ok(()),
        false => Err(format!("only {} constraints", literals.len())),
    }
}

/// Packs the text, all concrete.
fn pack(executable: &Executable) -> Result<Vec<u8>, String> {
    let mut process = executable.start(50_000_000);
    initialize(&mut process)?;
    let text = number(&mut process, "text_address", &[])?;
    process.write(text, TEXT, None).map_err(|error| error.to_string())?;
    let length = number(&mut process, "pack", &[TEXT.len() as u32])? as usize;
    let packed = number(&mut process, "packed_address", &[])? as usize;
    Ok(process.memory()[packed..packed + length].to_vec())
}

fn initialize(process: &mut Process) -> Result<(), String> {
    let called = process.call("_initialize", &[]).map_err(|error| error.to_string())?;
    match matches!(called.outcome, Outcome::Returned(_)) {
        true => Ok(()),
        false => Err(called.outcome.to_string()),
    }
}

fn number(process: &mut Process, function: &str, args: &[u32]) -> Result<u32, String> {
    let args: Vec<Cell> = args.iter().map(|&x| Cell::of_scalar(Scalar::I32(x))).collect();
    let Called { outcome, .. } =
        process.call(function, &args).map_err(|error| error.to_string())?;
    match &outcome {
        Outcome::Returned(values) => match values[..] {
            [Scalar::I32(x)] if x as i32 >= 0 => Ok(x),
            _ => Err(format!("{function} failed: {outcome}")),
        },
        Outcome::Trapped(_) | Outcome::Rejected(_) | Outcome::Exhausted(_) | Outcome::Exited(_) => {
            Err(format!("{function}: {outcome}"))
        }
    }
}

fn compile(library: &Library) -> Result<Vec<u8>, String> {
    let folder = package_folder(library.package)?.join(library.folder);
    let target = tempfile::tempdir().map_err(|error| error.to_string())?;
    let driver = target.path().join("driver.c");
    let common = r#"
        unsigned char text[4096], packed[4096];
        int text_address(void) { return (int)text; }
        int packed_address(void) { return (int)packed; }
    "#;
    std::fs::write(&driver, format!("{common}{}", library.driver))
        .map_err(|error| error.to_string())?;
    let wasm = target.path().join("library.wasm");
    let output = Command::new("clang-19")
        .args(["--target=wasm32-wasi", "-O1", "-w", "-mexec-model=reactor"])
        .args(library.flags)
        .args(
            ["pack", "unpack", "text_address", "packed_address"]
                .map(|name| format!("-Wl,--export={name}")),
        )
        .arg("-I")
        .arg(&folder)
        .arg(&driver)
        .args(library.sources.iter().map(|source| folder.join(source)))
        .arg("-o")
        .arg(&wasm)
        .output()
        .map_err(|error| format!("clang-19: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    std::fs::read(&wasm).map_err(|error| error.to_string())
}

/// Where cargo keeps the sources of a package.
fn package_folder(package: &str) -> Result<PathBuf, String> {
    // Packages for other systems are not there when we are offline.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform"])
        .args([platform.as_str(), "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let found = packages.iter().find(|found| found["name"] == package);
    let manifest = found.and_then(|found| found["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("no package {package}"))?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new("/")).to_path_buf())
}
