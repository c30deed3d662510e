// Short looks at JSON text that row loops take: what ends a run of plain characters, and whether bytes are as expected.
#ifndef CSCAN_JSON_TEXT_H
#define CSCAN_JSON_TEXT_H

#include "cpu.h"

/// Which of 32 bytes are a quote, a backslash or a control character: bit 0 stands for the first byte.
static inline uint32_t json_special32_portable(const uint8_t *bytes) {
    uint32_t found = 0;
    for (int i = 0; i < 32; i++) {
        uint8_t byte = bytes[i];
        found |= (uint32_t)(byte == '"' || byte == '\\' || byte < 0x20) << i;
    }
    return found;
}

static inline bool json_same_portable(const uint8_t *bytes, const uint8_t *expected, size_t length) {
    return memcmp(bytes, expected, length) == 0;
}

#if SCAN_X86
// SSE2 belongs to every x86-64, so these need no choice at run time and dissolve in the loop of the caller.
static inline uint32_t json_special16_sse2(const uint8_t *bytes) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    __m128i backslashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls));
}
#endif

static inline uint32_t json_special32(const uint8_t *bytes) {
#if SCAN_X86
    return json_special16_sse2(bytes) | json_special16_sse2(bytes + 16) << 16;
#else
    return json_special32_portable(bytes);
#endif
}

/// The place of the next line feed, or `end`.
static inline size_t json_line_feed(const uint8_t *bytes, size_t start, size_t end) {
    const uint8_t *found = start < end ? memchr(bytes + start, '\n', end - start) : NULL;
    return found == NULL ? end : (size_t)(found - bytes);
}

/// Whether `length` bytes are as expected. `expected` has room for whole blocks of 16.
static inline bool json_same(const uint8_t *bytes, const uint8_t *expected, size_t length) {
#if SCAN_X86
    while (true) {
        __m128i block = _mm_loadu_si128((const __m128i *)bytes);
        __m128i wanted = _mm_loadu_si128((const __m128i *)expected);
        uint32_t alike = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, wanted));
        if (length <= 16) {
            uint32_t needed = ((uint32_t)1 << length) - 1;
            return (alike & needed) == needed;
        }
        if (alike != 0xFFFF) return false;
        bytes += 16;
        expected += 16;
        length -= 16;
    }
#else
    return json_same_portable(bytes, expected, length);
#endif
}

/// How far it was from one place to the next in the record before.
struct json_guess {
    uintptr_t length;
    /// So many times it was another; beyond 8 nothing is guessed any more.
    uintptr_t misses;
};

/// Gives `found`, the place to go on at, which was looked for from `start` on.
///
/// Where a value is as long as in the record before, that is taken from the guess, so that the processor goes on with what follows
/// before it has found out: what depends on `found` would have to wait for it (Francesco Mazzoli, "Beating the L1 cache with value
/// speculation", 2021).
static inline const uint8_t *json_ahead(const uint8_t *found, const uint8_t *start, struct json_guess *guess) {
    if (guess->misses > 8) return found;
    const uint8_t *expected = start + guess->length;
    if (found == expected) {
        // Hides that the two are the same.
        __asm__ volatile("" : "+r"(expected));
        return expected;
    }
    guess->length = (uintptr_t)(found - start);
    guess->misses++;
    return found;
}

/// Copies in blocks of 16 bytes, so it may read and write up to 15 bytes more than `length`.
static inline void json_copy_blocks(uint8_t *target, const uint8_t *source, size_t length) {
    for (size_t i = 0; i < length; i += 16) memcpy(target + i, source + i, 16);
}

/// Copies plain characters up to the first quote, backslash or control character, and says how many. May write up to
/// 32 bytes more than it says.
static inline size_t json_copy_plain(uint8_t *target, const uint8_t *source, size_t length) {
    for (size_t i = 0; i < length; i += 32) {
        memcpy(target + i, source + i, 32);
        uint32_t special = json_special32(source + i);
        if (special != 0) {
            size_t plain = i + (size_t)__builtin_ctz(special);
            return plain < length ? plain : length;
        }
    }
    return length;
}

#endif
