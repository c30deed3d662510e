// Where in a text a byte stands: lines and characters on the way to it.
#ifndef CSCAN_PLACE_H
#define CSCAN_PLACE_H

#include "count.h"
#include "cpu.h"

struct scan_place {
    /// How many line ends were passed: LF and CR LF, each once, and lone CR where that ends lines.
    size_t line_ends;
    /// Where the line begins, when a line end was passed.
    size_t line_start;
    /// How many characters (Unicode scalars) were passed since the last line end.
    size_t characters;
};

/// Goes on over the bytes from `from` to `to` of a text of `length` bytes; with `returns_end`, a lone CR ends a line.
static inline struct scan_place scan_walk_portable(const uint8_t *bytes, size_t length, size_t from, size_t to,
                                                   bool returns_end, struct scan_place place) {
    for (size_t i = from; i < to; i++) {
        uint8_t byte = bytes[i];
        if (byte == '\n' || (returns_end && byte == '\r' && (i + 1 == length || bytes[i + 1] != '\n'))) {
            place.line_ends++;
            place.line_start = i + 1;
            place.characters = 0;
        } else if ((byte & 0xC0) != 0x80) {
            place.characters++;
        }
    }
    return place;
}

#if SCAN_X86
static inline struct scan_place scan_walk_sse2(const uint8_t *bytes, size_t length, size_t from, size_t to,
                                               bool returns_end, struct scan_place place) {
    const __m128i feed = _mm_set1_epi8('\n');
    const __m128i carriage = _mm_set1_epi8('\r');
    // As signed numbers, the bytes inside a character are the lowest.
    const __m128i first = _mm_set1_epi8((char)0xC0);
    size_t i = from;
    while (i < to && i + 16 <= length) {
        size_t left = to - i < 16 ? to - i : 16;
        uint32_t valid = ((uint32_t)1 << left) - 1;
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + i));
        uint32_t feeds = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, feed)) & valid;
        uint32_t carriages = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, carriage)) & valid;
        uint32_t starts = ~(uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(block, first)) & valid;
        if (returns_end && carriages != 0) {
            place = scan_walk_portable(bytes, length, i, i + left, returns_end, place);
        } else if (feeds != 0) {
            uint32_t last = 31 - (uint32_t)__builtin_clz(feeds);
            place.line_ends += (size_t)__builtin_popcount(feeds);
            place.line_start = i + last + 1;
            starts &= ~(((uint32_t)2 << last) - 1);
            place.characters = (size_t)__builtin_popcount(starts);
        } else {
            place.characters += starts == valid ? left : (size_t)__builtin_popcount(starts);
        }
        i += left;
    }
    return scan_walk_portable(bytes, length, i, to, returns_end, place);
}
#endif

/// The place behind the last line feed between `from` and `to`, or `from` when there is none.
static inline size_t scan_behind_last_feed(const uint8_t *bytes, size_t from, size_t to) {
#if SCAN_X86
    while (to - from >= 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + to - 16));
        uint32_t feeds = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8('\n')));
        if (feeds != 0) return to - 16 + 32 - (size_t)__builtin_clz(feeds);
        to -= 16;
    }
#endif
    while (to > from && bytes[to - 1] != '\n') to--;
    return to;
}

/// Goes on over the bytes from `from` to `to` of a text of `length` bytes, and reads none behind it.
static inline struct scan_place scan_walk(const uint8_t *bytes, size_t length, size_t from, size_t to,
                                          bool returns_end, struct scan_place place) {
    // Over whole lines only their ends are counted, which is ten times as fast.
    if (to - from > 256) {
        size_t last = scan_behind_last_feed(bytes, from, to);
        struct scan_counts counts = scan_count(bytes + from, last - from, 0xFF);
        if (last > from && (!returns_end || counts.carriage_returns == 0)) {
            place.line_ends += counts.line_feeds;
            place.line_start = from = last;
            place.characters = 0;
        }
    }
#if SCAN_X86
    return scan_walk_sse2(bytes, length, from, to, returns_end, place);
#else
    return scan_walk_portable(bytes, length, from, to, returns_end, place);
#endif
}

#endif
