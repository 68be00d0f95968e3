#!/bin/sh
# Builds the C library of 64-bit programs: musl, from the distribution's source package, for WebAssembly.
#
#     build.sh FOLDER CLANG LLVM_AR
#
# FOLDER gets `include`, `libc.a` and a stamp; it is replaced at the end, in one step, and what was there stays if anything
# fails. The sources come from apt, with lists of our own, so that the system's are left alone; MUSL_SOURCE names an archive that
# is there already. Called by `make tools` and by `symcrete doctor --install`.
#
# The architecture is that of x86-64, as far as it is layouts and numbers; the rest of it is in `arch` and `bits`. Functions that
# need more of a system than the runtime has are left out: a program that calls one calls an undefined function, whose results are
# inputs.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
folder=$1 clang=$2 ar=$3

# Folders of musl's sources that are taken as a whole, but for the files that follow.
FOLDERS="complex conf crypt ctype dirent env errno exit fcntl fenv internal locale math misc multibyte prng regex search select
    signal stat stdio stdlib string time unistd"
LEFT_OUT="env/__init_tls env/__libc_start_main env/__reset_tls regex/glob
    misc/forkpty misc/getpriority misc/getresgid misc/getresuid misc/initgroups misc/lockf misc/login_tty
    misc/mntent misc/openpty misc/ptsname misc/pty misc/realpath misc/setdomainname misc/setpriority misc/setrlimit
    misc/syscall misc/syslog misc/wordexp
    signal/getitimer signal/kill signal/killpg signal/setitimer signal/sigaltstack signal/sighold signal/sigignore
    signal/siginterrupt signal/siglongjmp signal/sigpause signal/sigpending signal/sigprocmask signal/sigqueue signal/sigrelse
    signal/sigset signal/sigsetjmp signal/sigsetjmp_tail signal/sigsuspend signal/sigtimedwait signal/sigwait
    signal/sigwaitinfo
    stat/__xstat stat/chmod stat/fchmod stat/fchmodat stat/lchmod stat/mkfifo stat/mkfifoat stat/mknod stat/mknodat
    stat/statvfs stat/umask
    stdio/pclose stdio/popen stdio/tempnam stdio/tmpfile stdio/tmpnam
    time/clock_getcpuclockid time/clock_settime time/timer_create time/timer_delete time/timer_getoverrun time/timer_gettime
    time/timer_settime
    unistd/acct unistd/alarm unistd/chown unistd/ctermid unistd/dup unistd/dup2 unistd/faccessat unistd/fchdir unistd/fchown
    unistd/fchownat unistd/getegid unistd/geteuid unistd/getgid unistd/getgroups unistd/gethostname unistd/getlogin
    unistd/getlogin_r unistd/getpgid unistd/getpgrp unistd/getppid unistd/getsid unistd/getuid unistd/lchown unistd/nice
    unistd/pause unistd/pipe unistd/pipe2 unistd/setegid unistd/seteuid unistd/setgid unistd/setpgid unistd/setpgrp
    unistd/setregid unistd/setresgid unistd/setresuid unistd/setreuid unistd/setsid unistd/setuid unistd/setxid unistd/sync
    unistd/tcgetpgrp unistd/tcsetpgrp unistd/ttyname unistd/ttyname_r unistd/ualarm"
# Single files of folders that are left out.
ALSO="legacy/err linux/getrandom linux/sysinfo mman/mmap mman/munmap sched/sched_yield
    network/gai_strerror network/h_errno network/hstrerror network/htonl network/htons network/in6addr_any
    network/in6addr_loopback network/inet_addr network/inet_aton network/inet_legacy network/inet_ntoa network/inet_ntop
    network/inet_pton network/ntohl network/ntohs
    thread/__lock thread/__syscall_cp thread/__timedwait thread/__wait thread/pthread_cleanup_push
    thread/pthread_setcancelstate thread/pthread_testcancel thread/vmlock"

# What it is made of, and what it must look like: whoever uses it compares both.
sources=$(cat "$here"/build.sh "$here"/arch/*.h "$here"/bits/*.h "$here"/*.c | sha256sum | cut -d ' ' -f 1)
digest() { sha256sum <"$1" | cut -d ' ' -f 1; }
if [ -e "$folder/stamp" ] && [ -e "$folder/libc.a" ]; then
    if printf '%s\n' "$sources" "$(digest "$folder/libc.a")" | diff -q - "$folder/stamp" >/dev/null; then exit 0; fi
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

fetch_sources() {
    mkdir -p "$scratch/parts" "$scratch/lists/partial" "$scratch/package"
    if [ -n "${MUSL_SOURCE:-}" ]; then
        cp "$MUSL_SOURCE" "$scratch/package/"
        return
    fi
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb /deb-src /p' | grep debian >"$scratch/parts/source.list" || true
    for file in /etc/apt/sources.list.d/debian*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$scratch/parts/$(basename "$file")"
    done
    apt="apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$scratch/parts
        -o Dir::State::lists=$scratch/lists -o Dir::Cache=$scratch -o APT::Sandbox::User=root"
    $apt update
    (cd "$scratch/package" && $apt source --download-only musl)
}

# Puts the architecture together, and the headers that are made of others.
prepare_headers() {
    cp -r arch/x86_64 arch/wasm64
    rm -f arch/wasm64/crt_arch.h arch/wasm64/bits/io.h
    cp "$here"/arch/*.h arch/wasm64/
    cp "$here"/bits/*.h arch/wasm64/bits/
    sed -i 's/^TYPEDEF _Addr regoff_t;/TYPEDEF int regoff_t;/' include/alltypes.h.in
    mkdir -p made/bits
    sed -f tools/mkalltypes.sed arch/wasm64/bits/alltypes.h.in include/alltypes.h.in >made/bits/alltypes.h
    cp arch/wasm64/bits/syscall.h.in made/bits/syscall.h
    sed -n 's/__NR_/SYS_/p' arch/wasm64/bits/syscall.h.in >>made/bits/syscall.h
    printf '#define VERSION "%s"\n' "$(cat VERSION)" >made/version.h
    # Numbers of glibc, where nothing depends on musl's own.
    sed -i -E 's/^(#define (PRI|SCN).FAST(16|32) +")h?([a-zA-Z]")/\1l\4/' include/inttypes.h
    sed -i -E 's/^(#define BUFSIZ) .*/\1 8192/; s/^(#define FOPEN_MAX) .*/\1 16/; s/^(#define TMP_MAX) .*/\1 238328/' include/stdio.h
    sed -i -E 's/^(#define MB_LEN_MAX) .*/\1 16/' include/limits.h
}

# A text without a number is no error to glibc's `strtol` and `strtod`: `errno` stays as it is.
follow_glibc() {
    sed -i '/errno = EINVAL;/d' src/internal/floatscan.c
    sed -i '/val\[c\] >= base/,/return 0;/{/errno = EINVAL;/d}' src/internal/intscan.c
}

compiled_sources() {
    left_out=$(echo $LEFT_OUT)
    for name in $FOLDERS; do
        for file in "src/$name"/*.c; do
            plain=${file#src/}
            case " $left_out " in
            *" ${plain%.c} "*) ;;
            *) echo "$PWD/$file" ;;
            esac
        done
    done
    for name in $ALSO; do
        if [ -e "src/$name.c" ]; then echo "$PWD/src/$name.c"; fi
    done
    echo "$here/compare.c"
    echo "$here/start.c"
}

# Files of one name in two folders would be one object: each call has a folder of its own.
compile_sources() {
    flags="--target=wasm64-unknown-unknown -std=c99 -nostdinc -ffreestanding -fno-strict-aliasing -w -O2 -D_XOPEN_SOURCE=700
        -I$PWD/arch/wasm64 -I$PWD/arch/generic -I$PWD/made -I$PWD/src/include -I$PWD/src/internal -I$PWD/include"
    compiled_sources | CLANG=$clang FLAGS=$flags OBJECTS=$scratch/objects xargs -P 2 -n 40 sh -c '
        mkdir -p "$OBJECTS" && cd "$(mktemp -d -p "$OBJECTS")" && exec "$CLANG" $FLAGS -c "$@"' call
}

fetch_sources
mkdir "$scratch/musl" "$scratch/objects" "$scratch/result"
tar -xf "$scratch"/package/musl*.tar.gz -C "$scratch/musl" --strip-components=1
cd "$scratch/musl"
prepare_headers
follow_glibc
compile_sources
cp -r include "$scratch/result/include"
rm "$scratch/result/include/alltypes.h.in"
mkdir -p "$scratch/result/include/bits"
cp arch/generic/bits/*.h "$scratch/result/include/bits/"
cp arch/wasm64/bits/*.h made/bits/*.h "$scratch/result/include/bits/"
find "$scratch/objects" -name '*.o' | sort | xargs "$ar" rcsD "$scratch/result/libc.a"

printf '%s\n' "$sources" "$(digest "$scratch/result/libc.a")" >"$scratch/result/stamp"

# The new one is put beside its place first: a rename within one folder is one step.
mkdir -p "$(dirname "$folder")"
aside=$(mktemp -d "$folder.XXXXXX")
chmod 755 "$aside"
cp -r "$scratch/result/." "$aside/"
if [ -e "$folder" ]; then mv "$folder" "$scratch/old"; fi
mv "$aside" "$folder"
