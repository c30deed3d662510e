// Stands between a command and the file system, as LD_PRELOAD: counts the calls that change files below a directory, and makes
// one of them fail, or kills the process before it.
//
//   FAULTS_UNDER  the directory; calls on other files are let through
//   FAULTS_AT     which call, from 1; 0 for none
//   FAULTS_ERRNO  how it fails; 0 kills the process instead
//   FAULTS_LOG    a file for one line a call: its number, or - for a call that only looks, its name and its paths
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *under;
static int at, failure, journal = -1;
static atomic_int count;

__attribute__((constructor)) static void begin(void) {
    under = getenv("FAULTS_UNDER");
    at = atoi(getenv("FAULTS_AT") ? getenv("FAULTS_AT") : "0");
    failure = atoi(getenv("FAULTS_ERRNO") ? getenv("FAULTS_ERRNO") : "0");
    // One more variable moves the environment, as other libraries of this kind do: it is no longer behind the arguments.
    setenv("FAULTS_BEGUN", "1", 1);
    if (getenv("FAULTS_LOG"))
        journal = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULTS_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int concerns(const char *path) {
    char whole[8192];
    if (!under) return 0;
    if (path[0] != '/') {
        char here[4096];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", here, path);
        path = whole;
    }
    return strncmp(path, under, strlen(under)) == 0;
}

static void tell(int number, const char *call, const char *path, const char *other) {
    char line[8192];
    int length = number ? snprintf(line, sizeof line, "%d %s %s %s\n", number, call, path, other)
                        : snprintf(line, sizeof line, "- %s %s %s\n", call, path, other);
    if (journal >= 0) syscall(SYS_write, journal, line, (size_t)length);
}

// Whether the call has to fail; errno then says how.
static int fails(const char *call, const char *path, const char *other) {
    int saved = errno;
    if (!concerns(path)) return errno = saved, 0;
    int number = atomic_fetch_add(&count, 1) + 1;
    tell(number, call, path, other);
    if (number != at) return errno = saved, 0;
    if (!failure) kill(getpid(), SIGKILL);
    errno = failure;
    return 1;
}

static int fails_open(const char *call, int descriptor) {
    char link[64], path[4096];
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path, "");
}

static void look(const char *call, const char *path) {
    int saved = errno;
    if (concerns(path)) tell(0, call, path, "");
    errno = saved;
}

// What is opened to be written, and directories, which are opened to be flushed.
static int changes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_DIRECTORY)); }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        if (!changes(flags)) look("open", path); \
        else if (fails("open", path, "")) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int rename(const char *old, const char *new) {
    REAL(rename);
    return fails("rename", new, old) ? -1 : real(old, new);
}
int link(const char *old, const char *new) {
    REAL(link);
    return fails("link", new, old) ? -1 : real(old, new);
}
int symlink(const char *target, const char *path) {
    REAL(symlink);
    return fails("symlink", path, target) ? -1 : real(target, path);
}
int unlink(const char *path) {
    REAL(unlink);
    return fails("unlink", path, "") ? -1 : real(path);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return fails("mkdir", path, "") ? -1 : real(path, mode);
}
int rmdir(const char *path) {
    REAL(rmdir);
    return fails("rmdir", path, "") ? -1 : real(path);
}
int fsync(int descriptor) {
    REAL(fsync);
    return fails_open("fsync", descriptor) ? -1 : real(descriptor);
}
int fdatasync(int descriptor) {
    REAL(fdatasync);
    return fails_open("fdatasync", descriptor) ? -1 : real(descriptor);
}
int ftruncate(int descriptor, off_t length) {
    REAL(ftruncate);
    return fails_open("ftruncate", descriptor) ? -1 : real(descriptor, length);
}
ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL(write);
    return fails_open("write", descriptor) ? -1 : real(descriptor, bytes, length);
}
int stat(const char *path, struct stat *found) {
    REAL(stat);
    look("stat", path);
    return real(path, found);
}
int lstat(const char *path, struct stat *found) {
    REAL(lstat);
    look("lstat", path);
    return real(path, found);
}
