/* Preloaded into a server: notes what a power cut would take back.

   Every change below one folder (TORTURE_DATA) goes into a log (TORTURE_LOG) before it is made: of a write
   the bytes that it replaces and the size of the file before; of a new, renamed or removed name what it was. A sync goes
   into the log after it was done, with how much of the log it covers. Files that lose their last name get another one
   in a folder beside the log (TORTURE_SAVED), so that they can come back. The reader of the log decides what the
   cut takes.

   The page cache outlives the process, so the real sync is left out; a short wait (TORTURE_SYNC_MICROS) stands
   for it. The boot id of the machine is read from TORTURE_BOOT_ID, because a power cut changes it.

   Covers what goes through these functions of the C library, not memory maps and not io_uring. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, CREATE = 3, RENAME = 4, UNLINK = 5, MKDIR = 6, RMDIR = 7, DIRSYNC = 8 };

static const char *data_path, *saved_path, *boot_path;
static size_t data_length;
static int log_file = -1;
static useconds_t sync_micros;
static uint64_t log_position, saved_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...) static result (*real_##name)(__VA_ARGS__)
REAL(int, open, const char *, int, ...);
REAL(int, openat, int, const char *, int, ...);
REAL(ssize_t, write, int, const void *, size_t);
REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
REAL(int, ftruncate, int, off_t);
REAL(int, fsync, int);
REAL(int, rename, const char *, const char *);
REAL(int, renameat, int, const char *, int, const char *);
REAL(int, unlink, const char *);
REAL(int, unlinkat, int, const char *, int);
REAL(int, mkdir, const char *, mode_t);
REAL(int, rmdir, const char *);

static void find(void) {
    if (real_rmdir) return;
    real_open = dlsym(RTLD_NEXT, "open");
    real_openat = dlsym(RTLD_NEXT, "openat");
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_renameat = dlsym(RTLD_NEXT, "renameat");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_unlinkat = dlsym(RTLD_NEXT, "unlinkat");
    real_mkdir = dlsym(RTLD_NEXT, "mkdir");
    real_rmdir = dlsym(RTLD_NEXT, "rmdir");
}

__attribute__((constructor)) static void start(void) {
    find();
    data_path = getenv("TORTURE_DATA");
    saved_path = getenv("TORTURE_SAVED");
    boot_path = getenv("TORTURE_BOOT_ID");
    const char *log_path = getenv("TORTURE_LOG"), *micros = getenv("TORTURE_SYNC_MICROS");
    if (!data_path || !saved_path || !log_path) return;
    data_length = strlen(data_path);
    sync_micros = micros ? (useconds_t)atoi(micros) : 0;
    log_file = real_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    struct stat now;
    if (log_file >= 0 && fstat(log_file, &now) == 0) log_position = (uint64_t)now.st_size;
}

static int is_ours(const char *path) {
    return log_file >= 0 && path && strncmp(path, data_path, data_length) == 0 &&
           (path[data_length] == '/' || path[data_length] == 0);
}

/* A path that does not begin at the root is completed by what the kernel knows of the folder it begins in. */
static int absolute(int folder, const char *path, char *whole) {
    if (path[0] == '/') return snprintf(whole, PATH_MAX, "%s", path) < PATH_MAX;
    char link[64], base[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
    }
    return snprintf(whole, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

/* The folder that has the name of ours: a sync of it makes that name safe. */
static int holds_ours(const char *path) {
    size_t length = strlen(path);
    return log_file >= 0 && length < data_length && strncmp(path, data_path, length) == 0 &&
           strrchr(data_path, '/') == data_path + length;
}

static int is_ours_open(int file, char *path) {
    char link[64];
    if (log_file < 0 || file == log_file) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path) || holds_ours(path);
}

/* One record: length of all, kind, three numbers, then two texts or the replaced bytes. In one write, under the lock. */
static void note(uint32_t kind, uint64_t a, uint64_t b, uint64_t c, const char *one, size_t one_length, const char *two) {
    size_t two_length = two ? strlen(two) : 0;
    uint32_t length = (uint32_t)(40 + one_length + two_length);
    char *record = malloc(length);
    if (!record) abort();
    memcpy(record, &length, 4);
    memcpy(record + 4, &kind, 4);
    memcpy(record + 8, &a, 8);
    memcpy(record + 16, &b, 8);
    memcpy(record + 24, &c, 8);
    uint32_t first = (uint32_t)one_length, zero = 0;
    memcpy(record + 32, &first, 4);
    memcpy(record + 36, &zero, 4);
    if (one_length) memcpy(record + 40, one, one_length);
    if (two_length) memcpy(record + 40 + one_length, two, two_length);
    ssize_t written = real_write(log_file, record, length);
    free(record);
    if (written != (ssize_t)length) abort();
    log_position += length;
}

/* A handle that only writes is read through another one. */
static int read_back(int file, char *bytes, size_t length, off_t position) {
    if (pread(file, bytes, length, position) == (ssize_t)length) return 1;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int other = real_open(link, O_RDONLY | O_CLOEXEC);
    if (other < 0) return 0;
    ssize_t got = pread(other, bytes, length, position);
    close(other);
    return got == (ssize_t)length;
}

/* What stands where `length` bytes are about to be written. Under the lock. */
static void note_write(int file, off_t position, size_t length) {
    struct stat now;
    if (fstat(file, &now) != 0 || !S_ISREG(now.st_mode)) return;
    size_t old = position < now.st_size ? (size_t)(now.st_size - position) : 0;
    if (old > length) old = length;
    char *bytes = old ? malloc(old) : NULL;
    if (old && (!bytes || !read_back(file, bytes, old, position))) abort();
    /* How many bytes are written is the second text of the record. */
    char text[32];
    snprintf(text, sizeof text, "%zu", length);
    note(WRITE, now.st_ino, (uint64_t)position, (uint64_t)now.st_size, bytes, old, text);
    free(bytes);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t position) {
    char path[PATH_MAX];
    find();
    if (!is_ours_open(file, path)) return real_pwrite(file, bytes, length, position);
    pthread_mutex_lock(&lock);
    note_write(file, position, length);
    ssize_t result = real_pwrite(file, bytes, length, position);
    pthread_mutex_unlock(&lock);
    return result;
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t position) { return pwrite(file, bytes, length, position); }

ssize_t write(int file, const void *bytes, size_t length) {
    char path[PATH_MAX];
    find();
    if (!is_ours_open(file, path)) return real_write(file, bytes, length);
    pthread_mutex_lock(&lock);
    off_t position = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
    note_write(file, position, length);
    ssize_t result = real_write(file, bytes, length);
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t position) {
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = pwrite(file, parts[i].iov_base, parts[i].iov_len, position + all);
        if (written < 0) return all ? all : written;
        all += written;
        if ((size_t)written < parts[i].iov_len) break;
    }
    return all;
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t position) { return pwritev(file, parts, count, position); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = write(file, parts[i].iov_base, parts[i].iov_len);
        if (written < 0) return all ? all : written;
        all += written;
        if ((size_t)written < parts[i].iov_len) break;
    }
    return all;
}

int ftruncate(int file, off_t size) {
    char path[PATH_MAX];
    find();
    if (!is_ours_open(file, path)) return real_ftruncate(file, size);
    pthread_mutex_lock(&lock);
    struct stat now;
    /* Cutting off is noted as a write of all that goes; growing as a write of nothing. */
    if (fstat(file, &now) == 0) note_write(file, size, now.st_size > size ? (size_t)(now.st_size - size) : 0);
    int result = real_ftruncate(file, size);
    pthread_mutex_unlock(&lock);
    return result;
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int fsync(int file) {
    char path[PATH_MAX];
    find();
    if (!is_ours_open(file, path)) return real_fsync(file);
    struct stat now;
    if (fstat(file, &now) != 0) return -1;
    pthread_mutex_lock(&lock);
    uint64_t covered = log_position;
    pthread_mutex_unlock(&lock);
    if (sync_micros) usleep(sync_micros);
    pthread_mutex_lock(&lock);
    note(S_ISDIR(now.st_mode) ? DIRSYNC : SYNC, now.st_ino, covered, 0, path, strlen(path), NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
int fdatasync(int file) { return fsync(file); }

static int open_noted(int folder, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    find();
    if (boot_path && path && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        return real_openat(AT_FDCWD, boot_path, flags, mode);
    if (log_file < 0 || !path || !(flags & (O_CREAT | O_TRUNC)) || !absolute(folder, path, whole) || !is_ours(whole))
        return real_openat(folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat before;
    int is_new = stat(whole, &before) != 0;
    if (!is_new && (flags & O_TRUNC) && before.st_size > 0) {
        int old = real_openat(AT_FDCWD, whole, O_RDONLY | O_CLOEXEC);
        if (old >= 0) {
            note_write(old, 0, (size_t)before.st_size);
            close(old);
        }
    }
    int file = real_openat(folder, path, flags, mode);
    struct stat now;
    if (file >= 0 && is_new && fstat(file, &now) == 0 && S_ISREG(now.st_mode))
        note(CREATE, now.st_ino, 0, 0, whole, strlen(whole), NULL);
    pthread_mutex_unlock(&lock);
    return file;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE(flags) return open_noted(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_noted(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return open_noted(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return open_noted(folder, path, flags, mode); }

/* Another name for a file that is about to lose one: its number among the saved ones, 0 when there is no such file. */
static uint64_t save(const char *path) {
    struct stat now;
    if (lstat(path, &now) != 0 || !S_ISREG(now.st_mode)) return 0;
    char name[PATH_MAX];
    do {
        saved_count++;
        if (snprintf(name, sizeof name, "%s/%llu", saved_path, (unsigned long long)saved_count) >= PATH_MAX) abort();
    } while (link(path, name) != 0 && errno == EEXIST);
    return saved_count;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    char source[PATH_MAX], target[PATH_MAX];
    find();
    if (log_file < 0 || !absolute(from_folder, from, source) || !absolute(to_folder, to, target) || !is_ours(target))
        return real_renameat(from_folder, from, to_folder, to);
    pthread_mutex_lock(&lock);
    uint64_t replaced = save(target);
    int result = real_renameat(from_folder, from, to_folder, to);
    int failure = errno;
    if (result == 0) note(RENAME, replaced, 0, 0, source, strlen(source), target);
    pthread_mutex_unlock(&lock);
    errno = failure;
    return result;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int folder, const char *path, int flags) {
    char whole[PATH_MAX];
    find();
    if (log_file < 0 || !absolute(folder, path, whole) || !is_ours(whole)) return real_unlinkat(folder, path, flags);
    pthread_mutex_lock(&lock);
    int is_folder = flags & AT_REMOVEDIR;
    uint64_t kept = is_folder ? 0 : save(whole);
    int result = real_unlinkat(folder, path, flags);
    int failure = errno;
    if (result == 0) note(is_folder ? RMDIR : UNLINK, kept, 0, 0, whole, strlen(whole), NULL);
    pthread_mutex_unlock(&lock);
    errno = failure;
    return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
    char whole[PATH_MAX];
    find();
    if (log_file < 0 || !absolute(AT_FDCWD, path, whole) || !is_ours(whole)) return real_mkdir(path, mode);
    pthread_mutex_lock(&lock);
    int result = real_mkdir(path, mode);
    int failure = errno;
    if (result == 0) note(MKDIR, 0, 0, 0, whole, strlen(whole), NULL);
    pthread_mutex_unlock(&lock);
    errno = failure;
    return result;
}
