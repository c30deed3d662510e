// What Swift's view of the C library leaves out.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>

#ifdef O_DIRECT
static const int DAYBOOK_O_DIRECT = O_DIRECT;
#elif defined(__x86_64__)
static const int DAYBOOK_O_DIRECT = 040000;
#elif defined(__aarch64__)
static const int DAYBOOK_O_DIRECT = 0200000;
#else
static const int DAYBOOK_O_DIRECT = 0;
#endif

#include <dirent.h>

// The name of an entry, which may reach over the end of what Swift takes the entry for.
static inline const char *_Nonnull daybook_name(const struct dirent *_Nonnull entry) { return entry->d_name; }

#include <errno.h>
#include <stdio.h>

// Gives two paths each other's names in one step; -1 with ENOSYS where the system has no such call.
static inline int daybook_exchange(const char *_Nonnull one, const char *_Nonnull other) {
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

// When a file, or a link itself, came to be, in microseconds since 1970; -1 where the file system does not know. A rename
// keeps it, and a copy does not.
static inline int64_t daybook_birth(const char *_Nonnull path) {
#if defined(STATX_BTIME)
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 || !(status.stx_mask & STATX_BTIME)) return -1;
    return (int64_t)status.stx_btime.tv_sec * 1000000 + status.stx_btime.tv_nsec / 1000;
#elif defined(__APPLE__)
    struct stat status;
    if (lstat(path, &status) != 0) return -1;
    return (int64_t)status.st_birthtimespec.tv_sec * 1000000 + status.st_birthtimespec.tv_nsec / 1000;
#else
    return -1;
#endif
}

// Ends the process as a failure of the machine; nothing here asks for memory.
static inline _Noreturn void daybook_end_without_memory(size_t size) {
    char text[96];
    int length = snprintf(text, sizeof text, "error: the machine gives no %zu bytes of memory more [out-of-memory]\n", size);
    if (write(STDERR_FILENO, text, (size_t)length) < 0) _exit(3);
    _exit(3);
}

#ifdef __GLIBC__
#include <malloc.h>
#endif
