/* filesystem: an in-memory table of inodes with blocks; two files are created, one written, one read.
 *
 * Takaki et al. 2010 (after a simplified Daisy file system). Entry: filesystem(first, second, target, offset, size, source).
 * Ids are in 0..3; a file has at most 4 blocks out of 6. Returns a number made of the results of the five operations.
 * Infeasible: nothing known.
 */

enum { INODES = 4, BLOCKS = 6, BLOCKS_PER_FILE = 4, BLOCK_SIZE = 16 };
enum { OK = 0, BAD_ID = 1, EXISTS = 2, ABSENT = 3, BAD_RANGE = 4, FULL = 5 };

struct inode {
    int used;
    int size;
    int blocks;
};

struct disk {
    struct inode inodes[INODES];
    int free_blocks;
};

static int create(struct disk *disk, int id) {
    if (id < 0 || id >= INODES) {
        return BAD_ID;
    }
    if (disk->inodes[id].used) {
        return EXISTS;
    }
    disk->inodes[id].used = 1;
    disk->inodes[id].size = 0;
    disk->inodes[id].blocks = 0;
    return OK;
}

static int write(struct disk *disk, int id, int offset, int size) {
    if (id < 0 || id >= INODES) {
        return BAD_ID;
    }
    struct inode *inode = &disk->inodes[id];
    if (!inode->used) {
        return ABSENT;
    }
    if (offset < 0 || offset > inode->size) {
        return BAD_RANGE;
    }
    if (size < 0 || size > BLOCKS_PER_FILE * BLOCK_SIZE - offset) {
        return BAD_RANGE;
    }
    while (inode->blocks * BLOCK_SIZE < offset + size) {
        if (disk->free_blocks == 0) {
            return FULL;
        }
        disk->free_blocks--;
        inode->blocks++;
    }
    if (offset + size > inode->size) {
        inode->size = offset + size;
    }
    return OK;
}

static int read(const struct disk *disk, int id, int offset) {
    if (id < 0 || id >= INODES || !disk->inodes[id].used) {
        return ABSENT;
    }
    if (offset < 0 || offset >= disk->inodes[id].size) {
        return BAD_RANGE;
    }
    return OK;
}

int filesystem(int first, int second, int target, int offset, int size, int source) {
    struct disk disk = {{{0, 0, 0}}, BLOCKS};
    int result = create(&disk, first);
    result = 10 * result + create(&disk, second);
    result = 10 * result + write(&disk, first, 0, size);
    result = 10 * result + write(&disk, target, offset, size);
    return 10 * result + read(&disk, source, offset);
}

/* The size that the paper's queries have: four numbers go through two creations, five writes and four reads. */
int filesystem_sequence(int id, int offset, int size, int source) {
    struct disk disk = {{{0, 0, 0}}, BLOCKS};
    int result = create(&disk, id);
    result += write(&disk, id, 0, size);
    result += write(&disk, id, offset, size);
    result = 10 * result + create(&disk, source);
    result += write(&disk, source, 0, offset);
    result += write(&disk, source, size, offset);
    result = 10 * result + read(&disk, id, offset);
    result += read(&disk, source, size);
    result += write(&disk, id, size, BLOCK_SIZE);
    result = 10 * result + read(&disk, id, size);
    return result + read(&disk, source, offset);
}
