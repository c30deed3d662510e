// XXH128 (the 128 bits of XXH3) over bytes that come in pieces.
//
// The library's code is taken into these functions rather than called in its shared object: twice as fast as the one that
// Debian builds, and one library less to load at the start.
#define XXH_INLINE_ALL
#include <xxhash.h>

// XXH3 of 64 bits, for the tables of keys: the seed is drawn by the process, so that nobody can write keys that collide.
static inline uint64_t xxh3_key(const void *_Nullable bytes, size_t length, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, length, seed);
}

// What the library keeps between two pieces; aligned as no Swift type can be, so it is only pointed to.
typedef struct xxh128_state xxh128_state;

// NULL where there is no memory.
static inline xxh128_state *_Nullable xxh128_begin(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state) XXH3_128bits_reset(state);
    return (xxh128_state *)state;
}

static inline void xxh128_update(xxh128_state *_Nonnull state, const void *_Nullable bytes, size_t length) {
    XXH3_128bits_update((XXH3_state_t *)state, bytes, length);
}

// Writes 16 bytes, the most significant first, which is how `xxh128sum` prints them.
static inline void xxh128_value(const xxh128_state *_Nonnull state, void *_Nonnull value) {
    XXH128_canonicalFromHash((XXH128_canonical_t *)value, XXH3_128bits_digest((const XXH3_state_t *)state));
}

// The same of bytes that are all there.
static inline void xxh128_whole(const void *_Nullable bytes, size_t length, uint64_t *_Nonnull high, uint64_t *_Nonnull low) {
    XXH128_hash_t hash = XXH3_128bits(bytes, length);
    *high = hash.high64;
    *low = hash.low64;
}

static inline void xxh128_end(xxh128_state *_Nonnull state) { XXH3_freeState((XXH3_state_t *)state); }
