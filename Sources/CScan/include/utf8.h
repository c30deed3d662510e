// Whether bytes are UTF-8, and whether they are text.
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
/// What may be wrong with two neighbouring bytes, one bit each; the tables give, for the halves of both bytes, what may
/// still be wrong, so that whatever all three leave is wrong.
enum {
    UTF8_TOO_SHORT = 1, UTF8_TOO_LONG = 2, UTF8_OVERLONG_3 = 4, UTF8_TOO_LARGE = 8, UTF8_SURROGATE = 16,
    UTF8_OVERLONG_2 = 32, UTF8_TOO_LARGE_1000 = 64, UTF8_OVERLONG_4 = 64, UTF8_TWO_CONTINUATIONS = 128,
    UTF8_CARRIED = UTF8_TOO_SHORT | UTF8_TOO_LONG | UTF8_TWO_CONTINUATIONS,
    UTF8_HIGH = UTF8_CARRIED | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CONTINUED = UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS
};

static const uint8_t scan_utf8_first_high[16] = {
    UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG, UTF8_TOO_LONG,
    UTF8_TOO_LONG, UTF8_TWO_CONTINUATIONS, UTF8_TWO_CONTINUATIONS, UTF8_TWO_CONTINUATIONS, UTF8_TWO_CONTINUATIONS,
    UTF8_TOO_SHORT | UTF8_OVERLONG_2, UTF8_TOO_SHORT, UTF8_TOO_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE,
    UTF8_TOO_SHORT | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4};
static const uint8_t scan_utf8_first_low[16] = {
    UTF8_CARRIED | UTF8_OVERLONG_3 | UTF8_OVERLONG_2 | UTF8_OVERLONG_4, UTF8_CARRIED | UTF8_OVERLONG_2, UTF8_CARRIED,
    UTF8_CARRIED, UTF8_CARRIED | UTF8_TOO_LARGE, UTF8_HIGH, UTF8_HIGH, UTF8_HIGH, UTF8_HIGH, UTF8_HIGH, UTF8_HIGH,
    UTF8_HIGH, UTF8_HIGH, UTF8_HIGH | UTF8_SURROGATE, UTF8_HIGH, UTF8_HIGH};
static const uint8_t scan_utf8_second_high[16] = {
    UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT,
    UTF8_TOO_SHORT, UTF8_CONTINUED | UTF8_OVERLONG_3 | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4,
    UTF8_CONTINUED | UTF8_OVERLONG_3 | UTF8_TOO_LARGE, UTF8_CONTINUED | UTF8_SURROGATE | UTF8_TOO_LARGE,
    UTF8_CONTINUED | UTF8_SURROGATE | UTF8_TOO_LARGE, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT, UTF8_TOO_SHORT};

/// Reads the text once more by hand around the place where the vectors stopped: a character that is cut off at the very
/// end shows only in what follows, and of an error only the neighbourhood is known.
static inline size_t scan_utf8_settle(const uint8_t *bytes, size_t length, size_t stopped, size_t block) {
    // Nothing was wrong, and none of the last three bytes begins a character that goes on behind the end.
    if (stopped >= length && length >= 3 && bytes[length - 1] < 0xC0 && bytes[length - 2] < 0xE0 &&
        bytes[length - 3] < 0xF0) {
        return length;
    }
    size_t from = stopped < length ? stopped : (length > block ? length - block : 0);
    from = from > block ? from - block : 0;
    while (from > 0 && (bytes[from] & 0xC0) == 0x80) from--;
    return from + scan_utf8_valid_portable(bytes + from, length - from);
}

SCAN_AVX2 static inline __m256i scan_table_avx2(const uint8_t *table, __m256i halves) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), halves);
}

/// The errors in a block that show in pairs of neighbouring bytes or in missing continuations; zero when there are none.
SCAN_AVX2 static inline __m256i scan_utf8_errors_avx2(__m256i block, __m256i before) {
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    __m256i joined = _mm256_permute2x128_si256(before, block, 0x21);
    __m256i previous1 = _mm256_alignr_epi8(block, joined, 15);
    __m256i previous2 = _mm256_alignr_epi8(block, joined, 14);
    __m256i previous3 = _mm256_alignr_epi8(block, joined, 13);
    __m256i high1 = scan_table_avx2(scan_utf8_first_high, _mm256_and_si256(_mm256_srli_epi16(previous1, 4), nibble));
    __m256i low1 = scan_table_avx2(scan_utf8_first_low, _mm256_and_si256(previous1, nibble));
    __m256i high2 = scan_table_avx2(scan_utf8_second_high, _mm256_and_si256(_mm256_srli_epi16(block, 4), nibble));
    __m256i special = _mm256_and_si256(_mm256_and_si256(high1, low1), high2);
    __m256i third = _mm256_subs_epu8(previous2, _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth = _mm256_subs_epu8(previous3, _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i continued = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(continued, special);
}

/// `has_nul` is set where one of the bytes looked at is NUL; no byte behind the first that is no UTF-8 need be.
SCAN_AVX2 static inline size_t scan_utf8_look_avx2(const uint8_t *bytes, size_t length, bool *has_nul) {
    __m256i before = _mm256_setzero_si256();
    __m256i lowest = _mm256_set1_epi8((char)0xFF);
    bool before_is_ascii = true;
    size_t i = 0;
    for (; i < length; i += 32) {
        __m256i block;
        if (length - i >= 32) {
            block = _mm256_loadu_si256((const __m256i *)(bytes + i));
        } else {
            uint8_t last[32];
            memset(last, ' ', sizeof last);
            memcpy(last, bytes + i, length - i);
            block = _mm256_loadu_si256((const __m256i *)last);
        }
        lowest = _mm256_min_epu8(lowest, block);
        bool is_ascii = _mm256_movemask_epi8(block) == 0;
        if (!is_ascii || !before_is_ascii) {
            __m256i errors = scan_utf8_errors_avx2(block, before);
            if (!_mm256_testz_si256(errors, errors)) break;
        }
        before = block;
        before_is_ascii = is_ascii;
    }
    *has_nul |= _mm256_movemask_epi8(_mm256_cmpeq_epi8(lowest, _mm256_setzero_si256())) != 0;
    return scan_utf8_settle(bytes, length, i, 32);
}

SCAN_AVX512 static inline __m512i scan_table_avx512(const uint8_t *table, __m512i halves) {
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table)), halves);
}

SCAN_AVX512 static inline __m512i scan_utf8_errors_avx512(__m512i block, __m512i previous1, __m512i previous2,
                                                          __m512i previous3) {
    const __m512i nibble = _mm512_set1_epi8(0x0F);
    __m512i high1 = scan_table_avx512(scan_utf8_first_high, _mm512_and_si512(_mm512_srli_epi16(previous1, 4), nibble));
    __m512i low1 = scan_table_avx512(scan_utf8_first_low, _mm512_and_si512(previous1, nibble));
    __m512i high2 = scan_table_avx512(scan_utf8_second_high, _mm512_and_si512(_mm512_srli_epi16(block, 4), nibble));
    __m512i special = _mm512_and_si512(_mm512_and_si512(high1, low1), high2);
    __m512i third = _mm512_subs_epu8(previous2, _mm512_set1_epi8((char)(0xE0 - 0x80)));
    __m512i fourth = _mm512_subs_epu8(previous3, _mm512_set1_epi8((char)(0xF0 - 0x80)));
    __m512i continued = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8((char)0x80));
    return _mm512_xor_si512(continued, special);
}

SCAN_AVX512 static inline size_t scan_utf8_look_avx512(const uint8_t *bytes, size_t length, bool *has_nul) {
    // The blocks lie one behind the first, so that the three bytes before each can be loaded where they stand.
    size_t i = 64;
    bool before_is_ascii = false;
    __m512i lowest = _mm512_set1_epi8((char)0xFF);
    for (; i + 64 <= length; i += 64) {
        __m512i block = _mm512_loadu_si512(bytes + i);
        bool is_ascii = _mm512_movepi8_mask(block) == 0;
        lowest = _mm512_min_epu8(lowest, block);
        if (!is_ascii || !before_is_ascii) {
            __m512i errors = scan_utf8_errors_avx512(block, _mm512_loadu_si512(bytes + i - 1),
                                                     _mm512_loadu_si512(bytes + i - 2),
                                                     _mm512_loadu_si512(bytes + i - 3));
            if (_mm512_test_epi8_mask(errors, errors) != 0) break;
        }
        before_is_ascii = is_ascii;
    }
    // What lies before the first block is judged by itself, to the end of the character that reaches into the block.
    size_t head = length < 128 ? length : 64;
    while (head < length && head < 68 && (bytes[head] & 0xC0) == 0x80) head++;
    size_t valid = scan_utf8_look_avx2(bytes, head, has_nul);
    if (valid < head || head == length) return valid;
    *has_nul |= _mm512_testn_epi8_mask(lowest, lowest) != 0 || (i < length && memchr(bytes + i, 0, length - i));
    return scan_utf8_settle(bytes, length, i, 128);
}
#endif

static inline size_t scan_utf8_look(const uint8_t *bytes, size_t length, bool *has_nul) {
#if SCAN_X86
    if (scan_has_avx512()) return scan_utf8_look_avx512(bytes, length, has_nul);
    if (scan_has_avx2()) return scan_utf8_look_avx2(bytes, length, has_nul);
#endif
    *has_nul |= memchr(bytes, 0, length) != NULL;
    return scan_utf8_valid_portable(bytes, length);
}

/// The place of the first byte that does not belong to a UTF-8 character, or `length` when all do.
static inline size_t scan_utf8_valid(const uint8_t *bytes, size_t length) {
    bool has_nul = false;
    return scan_utf8_look(bytes, length, &has_nul);
}

/// The place of the first byte that does not belong to a UTF-8 character or is NUL, which no text holds, or `length`.
static inline size_t scan_text_valid(const uint8_t *bytes, size_t length) {
    bool has_nul = false;
    size_t valid = scan_utf8_look(bytes, length, &has_nul);
    const uint8_t *nul = has_nul && valid > 0 ? (const uint8_t *)memchr(bytes, 0, valid) : NULL;
    return nul == NULL ? valid : (size_t)(nul - bytes);
}

#endif
