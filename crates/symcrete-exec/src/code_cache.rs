//! Machine code that is kept between processes, so that a module is compiled once.
//!
//! Compiling takes far longer than rewriting, so a module is rewritten anew each time and its code is found by
//! a digest of the rewritten module: whatever changes the rewriting changes the key.
//!
//! **Invariant:** only bytes that this file wrote become code. Each entry begins with a digest of its key and
//! of all that follows; an entry that is cut, damaged or of another key is as good as none.

use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};
use wasmtime::{Engine, Module};

/// Where code is kept. Its content becomes machine code: nobody but the user may be able to write there.
pub trait CodeCache: Send + Sync {
    /// What was stored under a key, if it is still there. A key is fit for a file's name.
    fn find(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps bytes; what cannot be kept is forgotten.
    fn store(&self, key: &str, bytes: &[u8]);
}

type Checksum = [u8; 32];

/// Changes when the form of an entry changes.
const FORMAT: &[u8] = b"symcrete code 1";

/// The code of a module: from the cache if it is there, else compiled, and kept.
pub(crate) fn load_or_compile(
    engine: &Engine,
    wasm: &[u8],
    cache: Option<&dyn CodeCache>,
) -> wasmtime::Result<Module> {
    let Some(cache) = cache else { return Module::new(engine, wasm) };
    let key = key_of(engine, wasm);
    if let Some(module) = cache.find(&key).and_then(|entry| decode(engine, &key, &entry)) {
        return Ok(module);
    }
    let module = Module::new(engine, wasm)?;
    if let Ok(code) = module.serialize() {
        cache.store(&key, &encode(&key, &code));
    }
    Ok(module)
}

/// All that the code depends on: the rewritten module, Wasmtime with its version, target and settings.
fn key_of(engine: &Engine, wasm: &[u8]) -> String {
    struct Feed<'a>(&'a mut Sha256);
    impl Hasher for Feed<'_> {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }

        fn finish(&self) -> u64 {
            unreachable!("only the digest is asked for")
        }
    }
    let mut digest = Sha256::new();
    digest.update(FORMAT);
    digest.update(env!("CARGO_PKG_VERSION"));
    engine.precompile_compatibility_hash().hash(&mut Feed(&mut digest));
    digest.update(wasm);
    let digest: Checksum = digest.finalize().into();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encode(key: &str, code: &[u8]) -> Vec<u8> {
    let mut entry = checksum(key, code).to_vec();
    entry.extend(code);
    entry
}

#[expect(unsafe_code, reason = "Wasmtime cannot see whether code is its own; the checksum can")]
fn decode(engine: &Engine, key: &str, entry: &[u8]) -> Option<Module> {
    let (sum, code) = entry.split_first_chunk::<32>()?;
    if checksum(key, code) != *sum {
        return None;
    }
    // SAFETY: the checksum says that these are the bytes that `encode` was given for this key, which are the
    // unmodified output of `Module::serialize`. That nobody forges both is the contract of `CodeCache`.
    unsafe { Module::deserialize(engine, code) }.ok()
}

fn checksum(key: &str, code: &[u8]) -> Checksum {
    Sha256::new().chain_update(key).chain_update(code).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct InMemory(Mutex<BTreeMap<String, Vec<u8>>>);

    impl CodeCache for InMemory {
        fn find(&self, key: &str) -> Option<Vec<u8>> {
            self.0.lock().unwrap().get(key).cloned()
        }

        fn store(&self, key: &str, bytes: &[u8]) {
            self.0.lock().unwrap().insert(key.to_string(), bytes.to_vec());
        }
    }

    #[test]
    fn code_is_kept_by_content_and_settings_and_damage_is_noticed() {
        let engine = Engine::default();
        let cache = InMemory::default();
        let one =
            wat::parse_str(r#"(module (func (export "f") (result i32) i32.const 1))"#).unwrap();
        let two =
            wat::parse_str(r#"(module (func (export "f") (result i32) i32.const 2))"#).unwrap();
        assert!(load_or_compile(&engine, &one, Some(&cache)).is_ok());
        assert!(load_or_compile(&engine, &one, Some(&cache)).is_ok());
        assert_eq!(cache.0.lock().unwrap().len(), 1);
        assert!(load_or_compile(&engine, &two, Some(&cache)).is_ok());
        let mut settings = wasmtime::Config::new();
        let other = Engine::new(settings.cranelift_nan_canonicalization(true)).unwrap();
        assert!(load_or_compile(&other, &one, Some(&cache)).is_ok());
        assert_eq!(cache.0.lock().unwrap().len(), 3);

        let key = key_of(&engine, &one);
        let entry = cache.find(&key).unwrap();
        assert!(decode(&engine, &key, &entry).is_some());
        assert!(decode(&engine, &key_of(&engine, &two), &entry).is_none(), "of another key");
        for at in (0..entry.len()).step_by(entry.len() / 50) {
            let mut damaged = entry.clone();
            damaged[at] ^= 1;
            assert!(decode(&engine, &key, &damaged).is_none(), "byte {at}");
            assert!(decode(&engine, &key, &entry[..at]).is_none(), "cut at {at}");
        }
        cache.store(&key, &entry[..entry.len() / 2]);
        assert!(load_or_compile(&engine, &one, Some(&cache)).is_ok());
        assert_eq!(cache.find(&key), Some(entry), "a damaged entry is written anew");
    }
}
