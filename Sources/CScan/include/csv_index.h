// The structural index of delimited text: where its fields and its records end.
//
// Quoted stretches are found as the prefix XOR of the quote bits by carry-less multiplication, after Langdale and
// Lemire, "Parsing Gigabytes of JSON per Second" (VLDB Journal 28, 2019). Parity alone would misread a stray quote, so
// every quote is checked as well: one that opens must follow a field or record end (or a quote), one that closes must
// be followed by one. Where a quote fails the check the text is irregular and the caller reads it byte by byte.
#ifndef CSCAN_CSV_INDEX_H
#define CSCAN_CSV_INDEX_H

#include "cpu.h"

/// Where an index of `length` bytes is written. Up to 16 numbers past what is found may be overwritten.
struct csv_room {
    /// Ends of fields and records, in order; room for `length + 64`.
    uint32_t *positions;
    /// How many positions come before the end of each record, that end included, with `CSV_LONG_RECORD` added where the
    /// record takes several lines; room for `length + 64`.
    uint32_t *records;
    /// The numbers of the positions directly behind a closing quote; room for `length / 2 + 64`.
    uint32_t *quoted;
};

struct csv_index {
    /// Behind the last record end that is known to be one, or 0.
    size_t length;
    /// How many positions were written: ends of fields and records, in order.
    size_t positions;
    /// How many record ends were written.
    size_t records;
    /// How many positions follow a quote directly.
    size_t quoted;
    /// There is a quote.
    bool has_quotes;
    /// There is a quote doubled inside a quoted field.
    bool has_doubled_quotes;
    /// There is a carriage return outside quotes that ends a line, alone or before a line feed.
    bool has_carriage_returns;
    /// There is a carriage return outside quotes that ends none, and so stands inside a field.
    bool has_stray_returns;
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

/// Checks the quotes of one 64-byte block, given as bit masks, and carries on into the next. Returns which bytes stand
/// directly behind a quote that closes.
static inline uint64_t csv_check_quotes(uint64_t quotes, uint64_t separators, struct csv_carry *carry,
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
    return after_closing;
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

/// Ends the index: a last record without a line end is one where the text ends, and none where more may follow.
static inline struct csv_index csv_end_index(struct csv_index index, const uint8_t *bytes, size_t length, bool is_last,
                                             bool waiting, bool after_closing, struct csv_room room) {
    if (!is_last && index.records > 0 && bytes[length - 1] == '\r') {
        // The line feed that belongs to this carriage return may still come.
        size_t ended = room.records[index.records - 1] & ~CSV_LONG_RECORD;
        if (room.positions[ended - 1] == length - 1) index.records--;
    }
    size_t ended = index.records > 0 ? room.records[index.records - 1] & ~CSV_LONG_RECORD : 0;
    index.length = ended > 0 ? room.positions[ended - 1] + (size_t)1 : 0;
    if (!is_last || index.ends_inside) {
        index.positions = ended;
        while (index.quoted > 0 && room.quoted[index.quoted - 1] >= ended) index.quoted--;
    } else if (index.length < length) {
        if (after_closing) room.quoted[index.quoted++] = (uint32_t)index.positions;
        room.positions[index.positions++] = (uint32_t)length;
        room.records[index.records++] = (uint32_t)index.positions | (waiting ? CSV_LONG_RECORD : 0);
        index.length = length;
    }
    return index;
}

/// Which of the CRs of the block at `base` stand before no LF.
static inline uint64_t csv_lone_returns(uint64_t returns, uint64_t feeds, const uint8_t *bytes, size_t base,
                                        size_t length) {
    uint64_t next_feed = base + 64 < length && bytes[base + 64] == '\n';
    return returns & ~(feeds >> 1 | next_feed << 63);
}

/// Indexes `length` bytes that begin with a record. `is_last` says that nothing follows them, `returns_end` that a lone CR ends
/// a line. Where it does not, a CR ends one before a line feed, and at the very end of the text.
///
/// `quote` may be 0xFF, which no UTF-8 text holds, for text without quoting. `LOAD` sets the four masks of the block at
/// `base`, `EMIT` writes the numbers of the bits in `structure` and, of `ends`, their ranks among those.
#define CSV_INDEX_BODY(LOAD, PREFIX_XOR, EMIT)                                                                 \
    struct csv_index index = {0};                                                                              \
    struct csv_carry carry = {0, 1, 0, 0};                                                                     \
    bool waiting = false;                                                                                      \
    for (size_t base = 0; base < length; base += 64) {                                                         \
        uint64_t delimiters, feeds, returns, quotes;                                                           \
        LOAD;                                                                                                  \
        if (length - base < 64) {                                                                              \
            uint64_t valid = ((uint64_t)1 << (length - base)) - 1;                                             \
            delimiters &= valid, feeds &= valid, returns &= valid, quotes &= valid;                            \
        }                                                                                                      \
        uint64_t inside = 0, after_closing = 0, stray = 0;                                                     \
        if (returns != 0 && !returns_end) {                                                                    \
            stray = csv_lone_returns(returns, feeds, bytes, base, length);                                     \
            if (length - base <= 64) stray &= ~((uint64_t)1 << (length - base - 1));                           \
            returns &= ~stray;                                                                                 \
        }                                                                                                      \
        if ((quotes | carry.inside | carry.after_closing) != 0) {                                              \
            inside = PREFIX_XOR(quotes) ^ carry.inside;                                                        \
            after_closing = csv_check_quotes(quotes, delimiters | feeds | returns, &carry, &index, inside);    \
        } else {                                                                                               \
            carry.after_any = (delimiters | feeds | returns) >> 63;                                            \
            carry.after_quote = 0;                                                                             \
        }                                                                                                      \
        uint64_t ends = feeds & ~inside;                                                                       \
        if (((returns | stray) & ~inside) != 0) {                                                              \
            index.has_carriage_returns |= (returns & ~inside) != 0;                                            \
            index.has_stray_returns |= (stray & ~inside) != 0;                                                 \
            ends |= csv_lone_returns(returns, feeds, bytes, base, length) & ~inside;                           \
        }                                                                                                      \
        uint64_t structure = (delimiters & ~inside) | ends;                                                    \
        for (uint64_t left = structure & after_closing; left != 0; left &= left - 1) {                         \
            uint64_t below = (left & -left) - 1;                                                               \
            room.quoted[index.quoted++] = (uint32_t)(index.positions + SCAN_BITS(structure & below));          \
        }                                                                                                      \
        uint32_t *positions = room.positions + index.positions, *records = room.records + index.records;       \
        EMIT;                                                                                                  \
        uint64_t quoted_ends = (feeds | returns) & inside;                                                     \
        if (quoted_ends != 0 || waiting) {                                                                     \
            index.has_long_records = true;                                                                     \
            waiting = csv_mark_long(records, ends, quoted_ends, waiting);                                      \
        }                                                                                                      \
        index.positions += SCAN_BITS(structure);                                                               \
        index.records += SCAN_BITS(ends);                                                                      \
    }                                                                                                          \
    index.ends_inside = carry.inside != 0;                                                                     \
    return csv_end_index(index, bytes, length, is_last, waiting, carry.after_closing != 0, room)

#define SCAN_BITS(bits) ((size_t)__builtin_popcountll(bits))

/// Writes the numbers one after the other, the positions in groups of eight so that the loop has fewer branches.
#define CSV_EMIT_EACH                                                                                          \
    for (uint64_t left = ends; left != 0; left &= left - 1) {                                                  \
        uint64_t below = left ^ (left - 1);                                                                    \
        *records++ = (uint32_t)(index.positions + SCAN_BITS(structure & below));                               \
    }                                                                                                          \
    records = room.records + index.records;                                                                    \
    for (uint64_t left = structure; left != 0; positions += 8) {                                               \
        for (int i = 0; i < 8; i++) {                                                                          \
            positions[i] = (uint32_t)base + (uint32_t)SCAN_TRAILING_ZEROS(left);                               \
            left &= left - 1;                                                                                  \
        }                                                                                                      \
    }

static inline uint64_t csv_mask_portable(const uint8_t *block, size_t length, uint8_t byte) {
    uint64_t mask = 0;
    for (size_t i = 0; i < length; i++) mask |= (uint64_t)(block[i] == byte) << i;
    return mask;
}

#define CSV_LOAD_PORTABLE                                                                                      \
    size_t part = length - base < 64 ? length - base : 64;                                                     \
    delimiters = csv_mask_portable(bytes + base, part, delimiter);                                             \
    feeds = csv_mask_portable(bytes + base, part, '\n');                                                       \
    returns = csv_mask_portable(bytes + base, part, '\r');                                                     \
    quotes = csv_mask_portable(bytes + base, part, quote)

#define SCAN_TRAILING_ZEROS(bits) ((bits) == 0 ? 64 : __builtin_ctzll(bits))

static inline struct csv_index csv_index_portable(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                  uint8_t quote, bool is_last, bool returns_end,
                                                  struct csv_room room) {
    CSV_INDEX_BODY(CSV_LOAD_PORTABLE, csv_prefix_xor_portable, CSV_EMIT_EACH);
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

/// The compiler lifts the constants out of the loop.
#define CSV_LOAD_AVX2                                                                                          \
    __m256i low = _mm256_loadu_si256((const __m256i *)(bytes + base));                                         \
    __m256i high = _mm256_loadu_si256((const __m256i *)(bytes + base + 32));                                   \
    delimiters = csv_mask_avx2(low, high, _mm256_set1_epi8((char)delimiter));                                  \
    feeds = csv_mask_avx2(low, high, _mm256_set1_epi8('\n'));                                                  \
    returns = csv_mask_avx2(low, high, _mm256_set1_epi8('\r'));                                                \
    quotes = csv_mask_avx2(low, high, _mm256_set1_epi8((char)quote))

SCAN_AVX2 static inline struct csv_index csv_index_avx2(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                        uint8_t quote, bool is_last, bool returns_end,
                                                        struct csv_room room) {
    CSV_INDEX_BODY(CSV_LOAD_AVX2, csv_prefix_xor_clmul, CSV_EMIT_EACH);
}

#define CSV_LOAD_AVX512                                                                                        \
    __m512i block = _mm512_loadu_si512(bytes + base);                                                          \
    delimiters = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8((char)delimiter));                             \
    feeds = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\n'));                                             \
    returns = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\r'));                                           \
    quotes = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8((char)quote))

/// Writes `start` plus the number of every bit that is set, 16 at a time.
SCAN_AVX512 static inline void csv_emit_avx512(uint32_t *target, uint64_t bits, size_t start) {
    const __m512i numbers = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
        35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
        6, 5, 4, 3, 2, 1, 0);
    const __m512i first = _mm512_set1_epi32((int32_t)start);
    __m512i found = _mm512_maskz_compress_epi8(bits, numbers);
    size_t count = SCAN_BITS(bits);
    _mm512_storeu_si512(target, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found))));
    for (size_t done = 16; done < count; done += 16) {
        found = _mm512_alignr_epi64(_mm512_setzero_si512(), found, 2);
        _mm512_storeu_si512(target + done,
                            _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found))));
    }
}

/// A record end has as many positions up to it as its rank among them says.
#define CSV_EMIT_AVX512                                                                                        \
    csv_emit_avx512(positions, structure, base);                                                               \
    csv_emit_avx512(records, _pext_u64(ends, structure), index.positions + 1)

SCAN_AVX512 static inline struct csv_index csv_index_avx512(const uint8_t *bytes, size_t length, uint8_t delimiter,
                                                            uint8_t quote, bool is_last, bool returns_end,
                                                        struct csv_room room) {
    CSV_INDEX_BODY(CSV_LOAD_AVX512, csv_prefix_xor_clmul, CSV_EMIT_AVX512);
}
#endif
#undef SCAN_TRAILING_ZEROS
#undef SCAN_BITS

/// The first of the records from `from` on that begins with the bytes of `key` that `mask` has set, or `index.records`.
static inline size_t csv_find_record(const uint8_t *bytes, struct csv_index index, struct csv_room room, size_t from,
                                     uint64_t key, uint64_t mask) {
    size_t start = 0;
    if (from > 0) start = room.positions[(room.records[from - 1] & ~CSV_LONG_RECORD) - 1] + (size_t)1;
    for (size_t record = from; record < index.records; record++) {
        uint64_t first;
        memcpy(&first, bytes + start, sizeof first);
        if ((first & mask) == key) return record;
        start = room.positions[(room.records[record] & ~CSV_LONG_RECORD) - 1] + (size_t)1;
    }
    return index.records;
}

/// Indexes delimited text with the best instructions this machine has.
static inline struct csv_index csv_index_text(const uint8_t *bytes, size_t length, uint8_t delimiter, uint8_t quote,
                                              bool is_last, bool returns_end, struct csv_room room) {
#if SCAN_X86
    if (scan_has_avx512()) return csv_index_avx512(bytes, length, delimiter, quote, is_last, returns_end, room);
    if (scan_has_avx2()) return csv_index_avx2(bytes, length, delimiter, quote, is_last, returns_end, room);
#endif
    return csv_index_portable(bytes, length, delimiter, quote, is_last, returns_end, room);
}

#endif
