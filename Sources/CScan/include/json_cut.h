// Finds where the elements of a JSON array end, without reading what is in them.
//
// Strings are found as the prefix XOR of the quotes that no odd run of backslashes escapes, after Langdale and Lemire,
// "Parsing Gigabytes of JSON per Second" (VLDB Journal 28, 2019), sections 3.1.1 and 3.1.2. Brackets are counted, not
// matched: who reads an element checks it.
#ifndef CSCAN_JSON_CUT_H
#define CSCAN_JSON_CUT_H

#include "cpu.h"

/// How far a scan has come. All zero is the state behind the `[` of an array.
struct json_cut {
    /// The next byte to look at; once `ended`, the bracket that closes the array.
    size_t position;
    /// How many brackets are open inside the array.
    uint64_t depth;
    /// Behind the last comma between two elements, or 0.
    size_t cut;
    /// How many such commas there were.
    size_t commas;
    bool in_string;
    /// The byte before `position` is a backslash that escapes.
    bool escaped;
    /// The array has been closed.
    bool ended;
};

/// Looks at one byte outside strings. Returns whether it closes the array.
static inline bool json_cut_step(struct json_cut *state, uint8_t byte, size_t position) {
    switch (byte) {
    case '{':
    case '[':
        state->depth++;
        return false;
    case '}':
    case ']':
        if (state->depth == 0) {
            state->ended = true;
            state->position = position;
            return true;
        }
        state->depth--;
        return false;
    case ',':
        if (state->depth == 0) {
            state->cut = position + 1;
            state->commas++;
        }
        return false;
    default: return false;
    }
}

/// Goes on to `length`, to the end of the array, or to the first comma if `first` asks for no more.
static inline void json_cut_portable(struct json_cut *state, const uint8_t *bytes, size_t length, bool first) {
    for (size_t i = state->position; i < length; i++) {
        uint8_t byte = bytes[i];
        if (state->escaped) {
            state->escaped = false;
        } else if (byte == '\\') {
            state->escaped = true;
        } else if (byte == '"') {
            state->in_string = !state->in_string;
        } else if (!state->in_string) {
            if (json_cut_step(state, byte, i)) return;
            if (first && state->cut > 0) {
                state->position = i + 1;
                return;
            }
        }
    }
    if (state->position < length) state->position = length;
}

#if SCAN_X86
/// Which bytes of a block are escaped by the backslash before them.
static inline uint64_t json_escaped(uint64_t backslashes, uint64_t *carry) {
    const uint64_t even = 0x5555555555555555u;
    backslashes &= ~*carry;
    uint64_t follows = backslashes << 1 | *carry;
    uint64_t odd_starts = backslashes & ~even & ~follows;
    unsigned long long even_runs;
    *carry = __builtin_uaddll_overflow(odd_starts, backslashes, &even_runs);
    return (even ^ (uint64_t)even_runs << 1) & follows;
}

SCAN_AVX2 static inline uint64_t json_mask_avx2(__m256i low, __m256i high, char wanted) {
    __m256i all = _mm256_set1_epi8(wanted);
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all));
    return (uint64_t)second << 32 | first;
}

SCAN_AVX2 static inline void json_cut_avx2(struct json_cut *state, const uint8_t *bytes, size_t length) {
    const __m256i case_bit = _mm256_set1_epi8(0x20);
    uint64_t escape_carry = state->escaped, inside_carry = state->in_string ? ~(uint64_t)0 : 0;
    size_t base = state->position;
    for (; base + 64 <= length; base += 64) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(bytes + base));
        __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + base + 32));
        uint64_t backslashes = json_mask_avx2(low, high, '\\');
        uint64_t escaped = escape_carry;
        if ((backslashes | escape_carry) != 0) escaped = json_escaped(backslashes, &escape_carry);
        uint64_t quotes = json_mask_avx2(low, high, '"') & ~escaped;
        __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)quotes), _mm_set1_epi8((char)0xFF), 0);
        uint64_t inside = (uint64_t)_mm_cvtsi128_si64(product) ^ inside_carry;
        uint64_t outside = ~(inside | escaped);
        // '[' and '{', and ']' and '}', differ in one bit.
        __m256i low_folded = _mm256_or_si256(low, case_bit), high_folded = _mm256_or_si256(high, case_bit);
        uint64_t opens = json_mask_avx2(low_folded, high_folded, '{') & outside;
        uint64_t closes = json_mask_avx2(low_folded, high_folded, '}') & outside;
        uint64_t closed = (uint64_t)__builtin_popcountll(closes);
        if (state->depth > closed) {
            // The depth cannot come down to the array's own in this block.
            state->depth += (uint64_t)__builtin_popcountll(opens) - closed;
        } else {
            uint64_t marks = opens | closes | (json_mask_avx2(low, high, ',') & outside);
            for (; marks != 0; marks &= marks - 1) {
                size_t at = base + (size_t)__builtin_ctzll(marks);
                if (json_cut_step(state, bytes[at], at)) return;
            }
        }
        inside_carry = (uint64_t)((int64_t)inside >> 63);
    }
    state->position = base;
    state->escaped = escape_carry != 0;
    state->in_string = inside_carry != 0;
}
#endif

/// Goes on to `length`, or to the end of the array.
static inline void json_cut_elements(struct json_cut *state, const uint8_t *bytes, size_t length) {
#if SCAN_X86
    if (scan_has_avx2()) {
        json_cut_avx2(state, bytes, length);
        if (state->ended) return;
    }
#endif
    json_cut_portable(state, bytes, length, false);
}

/// Behind the element at `start`: at the comma or the bracket that follows it, or at `length`.
static inline size_t json_element_end(const uint8_t *bytes, size_t start, size_t length) {
    struct json_cut state = {0};
    state.position = start;
    json_cut_portable(&state, bytes, length, true);
    return state.cut > 0 ? state.cut - 1 : state.position;
}

#endif
