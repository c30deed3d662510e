// Whether bytes are UTF-8.
//
// The vector variant is the lookup algorithm of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per
// Byte" (Software: Practice and Experience 51, 2021).
#ifndef CSCAN_UTF8_H
#define CSCAN_UTF8_H

#include "cpu.h"

/// The length of the UTF-8 character at `bytes`, or 0 when there is none (RFC 3629: no overlong forms, no surrogates,
/// nothing past U+10FFFF). `length` is at least 1.
static inline size_t scan_utf8_character(const uint8_t *bytes, size_t length) {
    uint8_t first = bytes[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (length < 2 || (bytes[1] & 0xC0) != 0x80) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) {
        if (first == 0xE0 && bytes[1] < 0xA0) return 0;
        if (first == 0xED && bytes[1] > 0x9F) return 0;
        return length >= 3 && (bytes[2] & 0xC0) == 0x80 ? 3 : 0;
    }
    if (first == 0xF0 && bytes[1] < 0x90) return 0;
    if (first == 0xF4 && bytes[1] > 0x8F) return 0;
    return length >= 4 && (bytes[2] & 0xC0) == 0x80 && (bytes[3] & 0xC0) == 0x80 ? 4 : 0;
}

static inline size_t scan_utf8_valid_portable(const uint8_t *bytes, size_t length) {
    size_t i = 0;
    while (i < length) {
        if (i + 8 <= length) {
            uint64_t word;
            memcpy(&word, bytes + i, 8);
            if ((word & 0x8080808080808080u) == 0) {
                i += 8;
                continue;
            }
        }
        size_t step = scan_utf8_character(bytes + i, length - i);
        if (step == 0) return i;
        i += step;
    }
    return length;
}

#if SCAN_X86
#define SCAN_TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

/// The errors in a block that show in pairs of neighbouring bytes or in missing continuations; zero when there are none.
SCAN_AVX2 static inline __m256i scan_utf8_errors(__m256i block, __m256i before) {
    enum {
        too_short = 1, too_long = 2, overlong_3 = 4, too_large = 8, surrogate = 16, overlong_2 = 32,
        too_large_1000 = 64, overlong_4 = 64, two_continuations = 128,
        carried = too_short | too_long | two_continuations
    };
    const __m256i first_high = SCAN_TWICE(
        too_long, too_long, too_long, too_long, too_long, too_long, too_long, too_long, (char)two_continuations,
        (char)two_continuations, (char)two_continuations, (char)two_continuations, too_short | overlong_2, too_short,
        too_short | overlong_3 | surrogate, too_short | too_large | too_large_1000 | overlong_4);
    const __m256i first_low = SCAN_TWICE(
        (char)(carried | overlong_3 | overlong_2 | overlong_4), (char)(carried | overlong_2), (char)carried,
        (char)carried, (char)(carried | too_large), (char)(carried | too_large | too_large_1000),
        (char)(carried | too_large | too_large_1000), (char)(carried | too_large | too_large_1000),
        (char)(carried | too_large | too_large_1000), (char)(carried | too_large | too_large_1000),
        (char)(carried | too_large | too_large_1000), (char)(carried | too_large | too_large_1000),
        (char)(carried | too_large | too_large_1000), (char)(carried | too_large | too_large_1000 | surrogate),
        (char)(carried | too_large | too_large_1000), (char)(carried | too_large | too_large_1000));
    const __m256i second_high = SCAN_TWICE(
        too_short, too_short, too_short, too_short, too_short, too_short, too_short, too_short,
        (char)(too_long | overlong_2 | two_continuations | overlong_3 | too_large_1000 | overlong_4),
        (char)(too_long | overlong_2 | two_continuations | overlong_3 | too_large),
        (char)(too_long | overlong_2 | two_continuations | surrogate | too_large),
        (char)(too_long | overlong_2 | two_continuations | surrogate | too_large), too_short, too_short, too_short,
        too_short);
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    __m256i joined = _mm256_permute2x128_si256(before, block, 0x21);
    __m256i previous1 = _mm256_alignr_epi8(block, joined, 15);
    __m256i previous2 = _mm256_alignr_epi8(block, joined, 14);
    __m256i previous3 = _mm256_alignr_epi8(block, joined, 13);
    __m256i high1 = _mm256_shuffle_epi8(first_high, _mm256_and_si256(_mm256_srli_epi16(previous1, 4), nibble));
    __m256i low1 = _mm256_shuffle_epi8(first_low, _mm256_and_si256(previous1, nibble));
    __m256i high2 = _mm256_shuffle_epi8(second_high, _mm256_and_si256(_mm256_srli_epi16(block, 4), nibble));
    __m256i special = _mm256_and_si256(_mm256_and_si256(high1, low1), high2);
    __m256i third = _mm256_subs_epu8(previous2, _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth = _mm256_subs_epu8(previous3, _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i continued = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(continued, special);
}

SCAN_AVX2 static inline size_t scan_utf8_valid_avx2(const uint8_t *bytes, size_t length) {
    __m256i before = _mm256_setzero_si256();
    bool before_is_ascii = true;
    size_t i = 0;
    for (; i < length; i += 32) {
        __m256i block;
        if (length - i >= 32) {
            block = _mm256_loadu_si256((const __m256i *)(bytes + i));
        } else {
            uint8_t last[32] = {0};
            memcpy(last, bytes + i, length - i);
            block = _mm256_loadu_si256((const __m256i *)last);
        }
        bool is_ascii = _mm256_movemask_epi8(block) == 0;
        if (!is_ascii || !before_is_ascii) {
            __m256i errors = scan_utf8_errors(block, before);
            if (!_mm256_testz_si256(errors, errors)) break;
        }
        before = block;
        before_is_ascii = is_ascii;
    }
    // A character that is cut off at the very end shows only in what follows, so the end is read once more by hand;
    // so is the neighbourhood of an error, to find its exact place.
    size_t from = i < length ? i : (length > 32 ? length - 32 : 0);
    from = from > 32 ? from - 32 : 0;
    while (from > 0 && (bytes[from] & 0xC0) == 0x80) from--;
    return from + scan_utf8_valid_portable(bytes + from, length - from);
}
#endif

/// The place of the first byte that does not belong to a UTF-8 character, or `length` when all do.
static inline size_t scan_utf8_valid(const uint8_t *bytes, size_t length) {
#if SCAN_X86
    if (scan_has_avx2()) return scan_utf8_valid_avx2(bytes, length);
#endif
    return scan_utf8_valid_portable(bytes, length);
}

#endif
