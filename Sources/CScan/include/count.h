// How many quotes and line ends a stretch of bytes has.
#ifndef CSCAN_COUNT_H
#define CSCAN_COUNT_H

#include "cpu.h"

struct scan_counts {
    size_t quotes;
    size_t line_feeds;
    size_t carriage_returns;
};

static inline struct scan_counts scan_count_portable(const uint8_t *bytes, size_t length, uint8_t quote) {
    struct scan_counts counts = {0, 0, 0};
    for (size_t i = 0; i < length; i++) {
        counts.quotes += bytes[i] == quote;
        counts.line_feeds += bytes[i] == '\n';
        counts.carriage_returns += bytes[i] == '\r';
    }
    return counts;
}

#if SCAN_X86
SCAN_AVX2 static inline size_t scan_sum_lanes(__m256i lanes) {
    __m256i sums = _mm256_sad_epu8(lanes, _mm256_setzero_si256());
    return (size_t)(_mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) + _mm256_extract_epi64(sums, 2) +
                    _mm256_extract_epi64(sums, 3));
}

SCAN_AVX2 static inline struct scan_counts scan_count_avx2(const uint8_t *bytes, size_t length, uint8_t quote) {
    struct scan_counts counts = {0, 0, 0};
    const __m256i quotes = _mm256_set1_epi8((char)quote);
    const __m256i feeds = _mm256_set1_epi8('\n');
    const __m256i returns = _mm256_set1_epi8('\r');
    size_t i = 0;
    while (i + 32 <= length) {
        // A lane counts to 255 at most, so the lanes are summed before they can overflow.
        size_t rounds = (length - i) / 32;
        if (rounds > 255) rounds = 255;
        __m256i q = _mm256_setzero_si256(), f = q, r = q;
        for (size_t round = 0; round < rounds; round++, i += 32) {
            __m256i block = _mm256_loadu_si256((const __m256i *)(bytes + i));
            q = _mm256_sub_epi8(q, _mm256_cmpeq_epi8(block, quotes));
            f = _mm256_sub_epi8(f, _mm256_cmpeq_epi8(block, feeds));
            r = _mm256_sub_epi8(r, _mm256_cmpeq_epi8(block, returns));
        }
        counts.quotes += scan_sum_lanes(q);
        counts.line_feeds += scan_sum_lanes(f);
        counts.carriage_returns += scan_sum_lanes(r);
    }
    struct scan_counts rest = scan_count_portable(bytes + i, length - i, quote);
    counts.quotes += rest.quotes;
    counts.line_feeds += rest.line_feeds;
    counts.carriage_returns += rest.carriage_returns;
    return counts;
}
#endif

/// Counts the bytes that are `quote`, line feed or carriage return.
static inline struct scan_counts scan_count(const uint8_t *bytes, size_t length, uint8_t quote) {
#if SCAN_X86
    if (scan_has_avx2()) return scan_count_avx2(bytes, length, quote);
#endif
    return scan_count_portable(bytes, length, quote);
}

/// Counts physical line ends: LF and CR LF, each once, and with `returns_end` lone CR as well, as in a file whose lines end
/// so. `next` is the byte behind the stretch, or 0.
static inline size_t scan_count_line_ends(const uint8_t *bytes, size_t length, uint8_t next, bool returns_end) {
    struct scan_counts counts = scan_count(bytes, length, 0xFF);
    size_t lines = counts.line_feeds;
    if (returns_end && counts.carriage_returns > 0) {
        for (size_t i = 0; i < length; i++) {
            if (bytes[i] == '\r' && (i + 1 < length ? bytes[i + 1] : next) != '\n') lines++;
        }
    }
    return lines;
}

#endif
