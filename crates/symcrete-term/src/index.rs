//! Finds a node's id: a hash table that keeps neighbours together.
//!
//! Programs build terms on terms they have just built. A table that scatters them over memory costs a cache miss or
//! more for each, and again whenever it grows. Here a node's *home* is a block of one cache line chosen by its newest
//! child, so consecutive terms meet in the same few lines; only where a home is full, or a node has no child, does
//! its hash choose the block.

/// Entries of a block: with their tags they fill a cache line.
const ENTRIES: usize = 12;
/// Nodes per block when the table is full: leaves room for homes that are more popular than others.
const NODES_PER_BLOCK: usize = 9;

/// What a lookup is for.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// Of the whole node.
    pub(crate) hash: u64,
    /// The greatest id among the children, if there are any.
    pub(crate) newest_child: Option<u32>,
}

#[derive(Clone)]
#[repr(align(64))]
struct Block {
    ids: [u32; ENTRIES],
    tags: [u8; ENTRIES],
    n_entries: u8,
}
const _: () = assert!(size_of::<Block>() == 64);

const EMPTY: Block = Block { ids: [0; ENTRIES], tags: [0; ENTRIES], n_entries: 0 };

/// Ids by node. The nodes themselves are the caller's.
#[derive(Default)]
pub(crate) struct Index {
    blocks: Vec<Block>,
    n_nodes: usize,
}

/// A block with room, found by a failed lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacancy(usize);

impl Index {
    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }

    /// Whether there is room for one more node; if not, [`Index::grow`] comes first.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.n_nodes < self.blocks.len() * NODES_PER_BLOCK
    }

    /// Makes room, given the keys of all nodes in order of their ids.
    pub(crate) fn grow(&mut self, keys: impl Iterator<Item = Key>) {
        let n_blocks = (self.blocks.len() + self.blocks.len() / 2).max(64);
        self.blocks = Vec::new();
        self.blocks.resize(n_blocks, EMPTY);
        self.n_nodes = 0;
        for (id, key) in keys.enumerate() {
            if let Err(vacancy) = self.find(key, |_| false) {
                self.insert(vacancy, key, id as u32);
            }
        }
    }

    /// The id for which `is_it` holds among those with this key, or where to insert it.
    #[inline]
    pub(crate) fn find(&self, key: Key, is_it: impl Fn(u32) -> bool) -> Result<u32, Vacancy> {
        let tag = (key.hash >> 56) as u8;
        let scattered = ((u128::from(key.hash) * self.blocks.len() as u128) >> 64) as usize;
        let home = key.newest_child.map(|id| id as usize / NODES_PER_BLOCK);
        let mut position = home.filter(|&home| home < self.blocks.len()).unwrap_or(scattered);
        let mut is_home = home.is_some();
        loop {
            let block = &self.blocks[position];
            for (entry, &id) in block.ids.iter().enumerate().take(usize::from(block.n_entries)) {
                if block.tags[entry] == tag && is_it(id) {
                    return Ok(id);
                }
            }
            if usize::from(block.n_entries) < ENTRIES {
                return Err(Vacancy(position));
            }
            position = if is_home { scattered } else { (position + 1) % self.blocks.len() };
            is_home = false;
        }
    }

    /// Enters an id where a failed lookup has ended.
    #[inline]
    pub(crate) fn insert(&mut self, vacancy: Vacancy, key: Key, id: u32) {
        let block = &mut self.blocks[vacancy.0];
        let entry = usize::from(block.n_entries);
        block.ids[entry] = id;
        block.tags[entry] = (key.hash >> 56) as u8;
        block.n_entries += 1;
        self.n_nodes += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever homes and hashes collide, every id is found again, before and after growing.
    #[test]
    fn nothing_is_lost() {
        let key = |id: u32| Key {
            // Few hashes and few homes, so that blocks run over.
            hash: u64::from(id % 7) << 56 | u64::from(id % 3),
            newest_child: (id.is_multiple_of(2) && id > 0).then_some(id / 4),
        };
        let mut index = Index::default();
        for id in 0..5_000 {
            if !index.has_room() {
                index.grow((0..id).map(key));
            }
            let vacancy = index.find(key(id), |other| other == id).expect_err("it is new");
            index.insert(vacancy, key(id), id);
            for earlier in (0..=id).step_by(97) {
                assert_eq!(index.find(key(earlier), |other| other == earlier).ok(), Some(earlier));
            }
        }
    }
}
