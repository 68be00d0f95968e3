//! Modules that were compiled earlier, by what they were compiled from.
//!
//! An entry's name is a digest of the request: options, paths, tools, our own assets. Which headers a file
//! includes is only known after compiling, so the entry itself lists every file that was read with the digest
//! of its content, and is used only if all of them are as they were.
//!
//! That no file was changed does not show that the same files would be read: a new header may come first in the
//! search path, `__has_include` may hold now, a variable of the environment may name another folder, the time may be
//! another one. So an entry also has a digest of the preprocessed text, and the compiler is asked for it again. The
//! text alone would not do: blanks and comments move columns, and it does not show them.
//!
//! **Invariant:** an entry is complete or not there: it is written beside its place and renamed. One that cannot
//! be read, or whose own digest does not fit, is not there.

use super::assets;
use super::ir::LeftOut;
use super::options::{CompileOptions, TargetPlace};
use super::toolchain::Toolchain;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of entries, or of nothing if it cannot be written.
pub(super) struct Cache {
    directory: PathBuf,
    /// For what this process writes on its way; removed at the end.
    scratch: PathBuf,
}

/// What is remembered of one compilation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Entry {
    pub(super) wasm: Vec<u8>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) warnings: String,
    /// Digests of the files that were read.
    pub(super) files: BTreeMap<PathBuf, Hash>,
    /// The digest of the preprocessed text of all files.
    pub(super) preprocessed: Hash,
}

pub(super) type Hash = [u8; 32];

/// Changes when the form of an entry or the way of compiling changes: a digest of the front end's sources (`build.rs`).
const FORMAT: &[u8] = env!("FRONT_END_DIGEST").as_bytes();

/// Tells scratch folders of one process apart.
static N_SCRATCH: AtomicU32 = AtomicU32::new(0);

impl Cache {
    pub(super) fn open(directory: &Path) -> Cache {
        let name =
            format!("scratch-{}-{}", std::process::id(), N_SCRATCH.fetch_add(1, Ordering::Relaxed));
        let scratch = directory.join(&name);
        if std::fs::create_dir_all(&scratch).is_ok() {
            return Cache { directory: absolute(directory), scratch: absolute(&scratch) };
        }
        let scratch = std::env::temp_dir().join(format!("symcrete-{name}"));
        // If this fails as well, the first write into it says so.
        let _ = std::fs::create_dir_all(&scratch);
        Cache { directory: scratch.clone(), scratch }
    }

    /// A folder for this process alone.
    pub(super) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// A place for something that other processes may use too.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a file in one step, as far as others can see.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let draft =
            self.scratch.join(format!("draft-{}", N_SCRATCH.fetch_add(1, Ordering::Relaxed)));
        write(&draft, bytes)?;
        std::fs::rename(&draft, path)
    }

    /// The entry of a request, if none of its files changed. Whether others would be read now it does not know.
    pub(super) fn find(&self, key: &str) -> Option<Entry> {
        let bytes = std::fs::read(self.entry_path(key)).ok()?;
        let entry = Entry::decode(&bytes)?;
        let is_same = |(path, hash): (&PathBuf, &Hash)| hash_file(path).as_ref() == Some(hash);
        entry.files.iter().all(is_same).then_some(entry)
    }

    /// Remembers an entry; what cannot be written is forgotten.
    pub(super) fn store(&self, key: &str, entry: &Entry) {
        let _ = self.write(&self.entry_path(key), &entry.encode());
    }

    fn entry_path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.module"))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// The name of the entry of a request.
pub(super) fn key_of(toolchain: &Toolchain, options: &CompileOptions, files: &[PathBuf]) -> String {
    let mut writer = Writer(Vec::new());
    writer.0.extend(FORMAT);
    writer.0.extend(assets::digest());
    describe_tools(&mut writer, toolchain);
    writer.count(files.len());
    files.iter().for_each(|file| writer.path(file));
    writer.count(options.include.len());
    options.include.iter().for_each(|directory| writer.path(directory));
    for words in [&options.defines, &options.cflags, &options.stubs] {
        writer.count(words.len());
        words.iter().for_each(|word| writer.bytes(word.as_bytes()));
    }
    options.checks.iter().for_each(|check| writer.bytes(check.name().as_bytes()));
    writer.count(usize::from(options.drivers));
    writer.count(options.targets.len());
    for target in &options.targets {
        match target {
            TargetPlace::Line { file, line } => {
                writer.path(file);
                writer.count(*line as usize);
            }
            TargetPlace::Function(name) => writer.bytes(name.as_bytes()),
        }
    }
    // Debug information has the working directory, and relative paths depend on it.
    writer.path(&super::absolute(Path::new(""), options.directory.as_ref()));
    hex(&Sha256::digest(&writer.0).into())
}

/// A digest of the tools alone.
pub(super) fn key_of_tools(toolchain: &Toolchain) -> String {
    let mut writer = Writer(Vec::new());
    writer.0.extend(FORMAT);
    writer.0.extend(assets::digest());
    describe_tools(&mut writer, toolchain);
    hex(&Sha256::digest(&writer.0).into())
}

/// A tool is taken for another one if its path, size or time changed.
fn describe_tools(writer: &mut Writer, toolchain: &Toolchain) {
    writer.bytes(toolchain.model().name().as_bytes());
    toolchain.compiler.iter().for_each(|word| writer.path(Path::new(word)));
    for file in &toolchain.files {
        writer.path(file);
        let Ok(metadata) = std::fs::metadata(file) else { continue };
        writer.0.extend(metadata.len().to_le_bytes());
        let time = metadata.modified().ok();
        let time = time.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        writer.0.extend(time.unwrap_or_default().as_nanos().to_le_bytes());
    }
}

/// The digest of a file's content.
pub(super) fn hash_file(path: &Path) -> Option<Hash> {
    Some(hash(&std::fs::read(path).ok()?))
}

pub(super) fn hash(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// Bytes with their digest at the end.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = hash(&bytes);
    bytes.extend(digest);
    bytes
}

/// What was sealed, if it is whole.
pub(super) fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, digest) = bytes.split_last_chunk::<32>()?;
    (hash(bytes) == *digest).then_some(bytes)
}

pub(super) fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file.
#[expect(clippy::disallowed_methods, reason = "the cache and the compiler's inputs are files")]
pub(super) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, bytes)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

impl Entry {
    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer(FORMAT.to_vec());
        writer.0.extend(self.preprocessed);
        writer.count(self.files.len());
        for (path, hash) in &self.files {
            writer.path(path);
            writer.0.extend(hash);
        }
        writer.count(self.left_out.len());
        for left_out in &self.left_out {
            writer.bytes(left_out.function.as_bytes());
            writer.path(&left_out.file);
            writer.count(left_out.line as usize);
            writer.bytes(left_out.why.as_bytes());
        }
        writer.bytes(self.warnings.as_bytes());
        writer.bytes(&self.wasm);
        sealed(writer.0)
    }

    fn decode(bytes: &[u8]) -> Option<Entry> {
        let mut reader = Reader(unsealed(bytes)?.strip_prefix(FORMAT)?);
        let preprocessed = reader.take(32)?.try_into().ok()?;
        let mut entry = Entry { preprocessed, ..Entry::default() };
        for _ in 0..reader.count()? {
            let path = reader.path()?;
            entry.files.insert(path, reader.take(32)?.try_into().ok()?);
        }
        for _ in 0..reader.count()? {
            entry.left_out.push(LeftOut {
                function: reader.text()?,
                file: reader.path()?,
                line: u32::try_from(reader.count()?).ok()?,
                why: reader.text()?,
            });
        }
        entry.warnings = reader.text()?;
        entry.wasm = reader.bytes()?.to_vec();
        Some(entry)
    }
}

/// Counts as eight bytes, byte strings with their length first.
struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, n: usize) {
        self.0.extend((n as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    fn path(&mut self, path: &Path) {
        self.bytes(path.as_os_str().as_encoded_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let n = self.count()?;
        self.take(n)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn path(&mut self) -> Option<PathBuf> {
        Some(PathBuf::from(self.text()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_survives_and_a_broken_one_is_not_there() {
        let entry = Entry {
            wasm: vec![0, 1, 2],
            left_out: vec![LeftOut {
                function: "f".to_owned(),
                file: PathBuf::from("a.c"),
                line: 3,
                why: "inline assembly".to_owned(),
            }],
            warnings: "w".to_owned(),
            files: BTreeMap::from([(PathBuf::from("a.c"), [7; 32])]),
            preprocessed: [9; 32],
        };
        let bytes = entry.encode();
        assert_eq!(Entry::decode(&bytes), Some(entry));
        for i in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[i] ^= 1;
            assert_eq!(Entry::decode(&broken), None, "byte {i}");
            assert_eq!(Entry::decode(&bytes[..i]), None, "cut at {i}");
        }
    }
}
