// Without _GNU_SOURCE, for with it the C library would declare types otherwise than other modules see them.
#include <spawn.h>

// glibc and musl have it, and declare it only where _GNU_SOURCE was set before their first header.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *_Nonnull, const char *_Nonnull);

// Has a process that is spawned start in a directory.
static inline int daybook_start_in(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull directory) {
    return posix_spawn_file_actions_addchdir_np(actions, directory);
}
