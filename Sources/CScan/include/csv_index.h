// The structural index of delimited text: where its fields and its records end.
//
// Quoted stretches are found as the prefix XOR of the quote bits by carry-less multiplication, after Langdale and
// Lemire, "Parsing Gigabytes of JSON per Second" (VLDB Journal 28, 2019). Parity alone would misread a stray quote, so
// every quote is checked as well: one that opens must follow a field or record end (or a quote), one that closes must
// be followed by one. Where a quote fails the check the text is irregular and the caller reads it byte by byte.
#ifndef CSCAN_CSV_INDEX_H
#define CSCAN_CSV_INDEX_H

#include "cpu.h"

struct csv_index {
    /// How many positions were written: ends of fields and records, in order.
    size_t positions;
    /// How many record ends were written.
    size_t records;
    /// There is a quote.
    bool has_quotes;
    /// There is a quote doubled inside a quoted field.
    bool has_doubled_quotes;
    /// There is a carriage return outside quotes.
    bool has_carriage_returns;
    /// There is a line end inside quotes, so a record takes several lines; those records are marked.
    bool has_long_records;
    /// A quote stands where none may stand, so the index says nothing.
    bool irregular;
    /// The text ends inside a quoted field.
    bool ends_inside;
};

/// What one 64-byte block carries into the next.
struct csv_carry {
    uint64_t inside;        // all ones inside a quoted field
    uint64_t after_any;     // bit 0: the last byte was a delimiter, a line end or a quote, or nothing
    uint64_t after_quote;   // bit 0: the last byte was a quote
    uint64_t after_closing; // bit 0: the last byte was a quote that closes
};

/// Checks the quotes of one 64-byte block, given as bit masks, and carries on into the next. Returns `inside`.
static inline uint64_t csv_quoted(uint64_t quotes, uint64_t separators, struct csv_carry *carry,
                                  struct csv_index *index, uint64_t inside) {
    uint64_t opening = quotes & inside;
    uint64_t closing = quotes & ~inside;
    uint64_t any = separators | quotes;
    uint64_t after_any = any << 1 | carry->after_any;
    uint64_t after_quote = quotes << 1 | carry->after_quote;
    uint64_t after_closing = closing << 1 | carry->after_closing;
    index->has_quotes |= quotes != 0;
    index->has_doubled_quotes |= (opening & after_quote) != 0;
    index->irregular |= (opening & ~after_any) != 0 || (after_closing & ~any) != 0;
    carry->inside = (uint64_t)((int64_t)inside >> 63);
    carry->after_any = any >> 63;
    carry->after_quote = quotes >> 63;
    carry->after_closing = closing >> 63;
    return inside;
}

static inline uint64_t csv_prefix_xor_portable(uint64_t bits) {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

/// Marks a record of several lines, in its number in `records`.
#define CSV_LONG_RECORD 0x80000000u

/// Marks the records that end in a block, when a line end inside quotes stands in them. `waiting` says whether one stands
/// in the part of the first record that lies before the block; returns the same for the next block.
static inline bool csv_mark_long(uint32_t *records, uint64_t ends, uint64_t quoted_ends, bool waiting) {
    for (; ends != 0; ends &= ends - 1, records++) {
        uint64_t below = ends ^ (ends - 1);
        if (waiting || (quoted_ends & below) != 0) *records |= CSV_LONG_RECORD;
        quoted_ends &= ~below;
        waiting = false;
    }
    return waiting || quoted_ends != 0;
}

/// Indexes `length` bytes that begin with a record.
///
/// `positions` needs room for `length + 64` numbers, `records` for `length + 1`: `records[r]` is how many positions come
/// before the end of record `r`, that end included, with `CSV_LONG_RECORD` added where the record takes several lines. A
/// last record without a line end gets one at `length`.
/// `quote` may be 0xFF, which no UTF-8 text holds, for text without quoting.
#define CSV_INDEX_BODY(LOAD, PREFIX_XOR)                                                                       \
    struct csv_index index = {0};                                                                              \
    struct csv_carry carry = {0, 1, 0, 0};                                                                     \
    size_t count = 0, rows = 0;                                                                                \
    bool waiting = false;                                                                                      \
    for (size_t base = 0; base < length; base += 64) {                                                         \
        uint64_t delimiters, feeds, returns, quotes;                                                           \
        LOAD;                                                                                                  \
        if (length - base < 64) {                                                                              \
            uint64_t valid = ((uint64_t)1 << (length - base)) - 1;                                             \
            delimiters &= valid, feeds &= valid, returns &= valid, quotes &= valid;                            \
        }                                                                                                      \
        uint64_t inside = 0;                                                                                   \
        if ((quotes | carry.inside | carry.after_closing) != 0) {                                              \
            inside = csv_quoted(quotes, delimiters | feeds | returns, &carry, &index,                          \
                                PREFIX_XOR(quotes) ^ carry.inside);                                            \
        } else {                                                                                               \
            carry.after_any = (delimiters | feeds | returns) >> 63;                                            \
            carry.after_quote = 0;                                                                             \
        }                                                                                                      \
        uint64_t ends = feeds & ~inside;                                                                       \
        if ((returns & ~inside) != 0) {                                                                        \
            uint64_t next_feed = base + 64 < length && bytes[base + 64] == '\n';                               \
            index.has_carriage_returns = true;                                                                 \
            ends |= returns & ~inside & ~(feeds >> 1 | next_feed << 63);                                       \
        }                                                                                                      \
        uint64_t structure = (delimiters & ~inside) | ends;                                                    \
        size_t before = rows;                                                                                  \
        for (uint64_t left = ends; left != 0; left &= left - 1) {                                              \
            uint64_t below = left ^ (left - 1);                                                                \
            records[rows++] = (uint32_t)(count + (size_t)__builtin_popcountll(structure & below));             \
        }                                                                                                      \
        uint64_t quoted_ends = (feeds | returns) & inside;                                                     \
        if (quoted_ends != 0 || waiting) {                                                                     \
            index.has_long_records = true;                                                                     \
            waiting = csv_mark_long(records + before, ends, quoted_ends, waiting);                             \
        }                                                                                                      \
        size_t found = (size_t)__builtin_popcountll(structure);                                                \
        uint32_t *next = positions + count;                                                                    \
        for (size_t done = 0; done < found; done += 8) {                                                       \
            for (int i = 0; i < 8; i++) {                                                                      \
                next[done + (size_t)i] = (uint32_t)base + (uint32_t)SCAN_TRAILING_ZEROS(structure);            \
                structure &= structure - 1;                                                                    \
            }                                                                                                  \
        }                                                                                                      \
        count += found;                                                                                        \
    }                                                                                                          \
    index.ends_inside = carry.inside != 0;                                                                     \
    if (length > 0 && !index.ends_inside) {                                                                    \
        size_t ended = rows > 0 ? records[rows - 1] & ~CSV_LONG_RECORD : 0;                                    \
        size_t last = ended > 0 ? positions[ended - 1] + (size_t)1 : 0;                                        \
        if (last < length) {                                                                                   \
            positions[count++] = (uint32_t)length;                                                             \
            records[rows++] = (uint32_t)count | (waiting ? CSV_LONG_RECORD : 0);                               \
        }                                                                                                      \
    }                                                                                                          \
    index.positions = count;                                                                                   \
    index.records = rows;                                                                                      \
    return index

static inline uint64_t csv_mask_portable(const uint8_t *block, size_t length, uint8_t byte) {
    uint64_t mask = 0;
    for (size_t i = 0; i < length; i++) mask |= (uint64_t)(block[i] == byte) << i;
    return mask;
}

/// Sets the four masks of the block at `base`.
#define CSV_LOAD_PORTABLE                                                                                      \
    size_t part = length - base < 64 ? length - base : 64;                                                     \
    delimiters = csv_mask_portable(bytes + base, part, delimiter);                                             \
    feeds = csv_mask_portable(bytes + base, part, '\n');                                                       \
    returns = csv_mask_portable(bytes + base, part, '\r');                                                     \
    quotes = csv_mask_portable(bytes + base, part, quote)

#define SCAN_TRAILING_ZEROS(bits) ((bits) == 0 ? 64 : __builtin_ctzll(bits))

static inline struct csv_index csv_index_portable(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                  uint8_t quote, uint32_t *positions, uint32_t *records) {
    CSV_INDEX_BODY(CSV_LOAD_PORTABLE, csv_prefix_xor_portable);
}

#if SCAN_X86
#undef SCAN_TRAILING_ZEROS
#define SCAN_TRAILING_ZEROS(bits) _tzcnt_u64(bits)

SCAN_AVX2 static inline uint64_t csv_prefix_xor_clmul(uint64_t bits) {
    __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8((char)0xFF), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

SCAN_AVX2 static inline uint64_t csv_mask_avx2(__m256i low, __m256i high, __m256i wanted) {
    uint64_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    uint64_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
    return first | second << 32;
}

/// Sets the four masks of the block at `base`. The compiler lifts the constants out of the loop.
#define CSV_LOAD_AVX2                                                                                          \
    __m256i low = _mm256_loadu_si256((const __m256i *)(bytes + base));                                         \
    __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + base + 32));                                   \
    delimiters = csv_mask_avx2(low, high, _mm256_set1_epi8((char)delimiter));                                  \
    feeds = csv_mask_avx2(low, high, _mm256_set1_epi8('\n'));                                                  \
    returns = csv_mask_avx2(low, high, _mm256_set1_epi8('\r'));                                                \
    quotes = csv_mask_avx2(low, high, _mm256_set1_epi8((char)quote))

SCAN_AVX2 static inline struct csv_index csv_index_avx2(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                        uint8_t quote, uint32_t *positions, uint32_t *records) {
    CSV_INDEX_BODY(CSV_LOAD_AVX2, csv_prefix_xor_clmul);
}
#endif
#undef SCAN_TRAILING_ZEROS

struct csv_cut {
    /// Behind the last record end that is known to be one, or 0.
    size_t length;
    bool irregular;
    bool ends_inside;
};

/// Finds the last record end of `length` bytes that begin with a record.
#define CSV_CUT_BODY(LOAD, PREFIX_XOR)                                                                         \
    struct csv_cut cut = {0};                                                                                  \
    struct csv_index index = {0};                                                                              \
    struct csv_carry carry = {0, 1, 0, 0};                                                                     \
    for (size_t base = 0; base < length; base += 64) {                                                         \
        uint64_t delimiters, feeds, returns, quotes;                                                           \
        LOAD;                                                                                                  \
        uint64_t valid = ~(uint64_t)0;                                                                         \
        if (length - base < 64) valid = ((uint64_t)1 << (length - base)) - 1;                                  \
        delimiters &= valid, feeds &= valid, returns &= valid, quotes &= valid;                                \
        uint64_t inside = csv_quoted(quotes, delimiters | feeds | returns, &carry, &index,                     \
                                     PREFIX_XOR(quotes) ^ carry.inside);                                       \
        /* A lone carriage return ends a record too, but whether it is alone may show only later. */           \
        uint64_t ends = (feeds | (returns & ~(feeds >> 1) & ~((uint64_t)1 << 63))) & ~inside & valid;          \
        if (length - base <= 64) ends &= ~(returns & (valid ^ valid >> 1));                                    \
        if (ends != 0) cut.length = base + 64 - (size_t)__builtin_clzll(ends);                                 \
    }                                                                                                          \
    cut.irregular = index.irregular;                                                                           \
    cut.ends_inside = carry.inside != 0;                                                                       \
    return cut

static inline struct csv_cut csv_cut_portable(const uint8_t *bytes, size_t length, uint8_t delimiter, uint8_t quote) {
    CSV_CUT_BODY(CSV_LOAD_PORTABLE, csv_prefix_xor_portable);
}

#if SCAN_X86
SCAN_AVX2 static inline struct csv_cut csv_cut_avx2(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                    uint8_t quote) {
    CSV_CUT_BODY(CSV_LOAD_AVX2, csv_prefix_xor_clmul);
}
#endif

static inline struct csv_cut csv_cut_text(const uint8_t *bytes, size_t length, uint8_t delimiter, uint8_t quote) {
#if SCAN_X86
    if (scan_has_avx2()) return csv_cut_avx2(bytes, length, delimiter, quote);
#endif
    return csv_cut_portable(bytes, length, delimiter, quote);
}

/// Indexes delimited text with the best instructions this machine has.
static inline struct csv_index csv_index_text(const uint8_t *bytes, size_t length, uint8_t delimiter, uint8_t quote,
                                              uint32_t *positions, uint32_t *records) {
#if SCAN_X86
    if (scan_has_avx2()) return csv_index_avx2(bytes, length, delimiter, quote, positions, records);
#endif
    return csv_index_portable(bytes, length, delimiter, quote, positions, records);
}

#endif
