// What the C library has but shows only under _GNU_SOURCE, which Swift's import of it does not define.
#ifdef __linux__
extern int sync_file_range(int descriptor, long long offset, long long count, unsigned int flags);
static const unsigned int DAYBOOK_SYNC_FILE_RANGE_WRITE = 2;
#endif
