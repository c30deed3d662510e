// Writing rows of delimited text.
#ifndef CSCAN_CSV_CELL_H
#define CSCAN_CSV_CELL_H

#include "cpu.h"

/// The texts of up to 64 rows.
struct csv_column {
    /// For each row where its text begins in `text`, and how long it is.
    const uint32_t *views;
    const uint8_t *text;
    /// The rows without a value, a bit for each, the first lowest. Their views are not looked at.
    uint64_t missing;
    /// Whether every cell must be looked at more closely.
    bool all_are_odd;
};

/// How rows are written.
struct csv_style {
    uint8_t delimiter;
    uint8_t quote;
    bool ends_with_return;
    bool quotes_all;
    /// Whether a mark of byte order at the start of a row might be read as one, and no character.
    bool guards_marks;
    /// How long the text is that stands for a missing value.
    size_t missing_length;
};

/// The cell to be written next, and where to.
struct csv_cursor {
    size_t row;
    size_t column;
    uint8_t *out;
};

/// Copies a block of bytes and gives a bit for each of them that may be the delimiter, the quote or a line end. All control characters
/// up to CR pass for line ends.
static inline uint32_t csv_copy_portable(uint8_t *out, const uint8_t *bytes, size_t size, struct csv_style style) {
    uint32_t found = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = out[i] = bytes[i];
        found |= (uint32_t)(byte == style.delimiter || byte == style.quote || byte <= '\r') << i;
    }
    return found;
}

#if SCAN_X86
// SSE2 is part of every x86-64.
static inline uint32_t csv_copy_16_sse2(uint8_t *out, const uint8_t *bytes, struct csv_style style) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    _mm_storeu_si128((__m128i *)out, block);
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)style.delimiter)),
                                 _mm_cmpeq_epi8(block, _mm_set1_epi8((char)style.quote)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(block, _mm_min_epu8(block, _mm_set1_epi8('\r'))));
    return (uint32_t)_mm_movemask_epi8(found);
}

SCAN_AVX2 static inline uint32_t csv_copy_32_avx2(uint8_t *out, const uint8_t *bytes, struct csv_style style) {
    __m256i block = _mm256_loadu_si256((const __m256i *)bytes);
    _mm256_storeu_si256((__m256i *)out, block);
    __m256i found = _mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8((char)style.delimiter)),
                                    _mm256_cmpeq_epi8(block, _mm256_set1_epi8((char)style.quote)));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi8(block, _mm256_min_epu8(block, _mm256_set1_epi8('\r'))));
    return (uint32_t)_mm256_movemask_epi8(found);
}
#endif

/// Copies 16 or 32 bytes; 32 only where AVX2 is there.
static inline uint32_t csv_copy(uint8_t *out, const uint8_t *bytes, size_t size, struct csv_style style) {
#if SCAN_X86
    return size == 32 ? csv_copy_32_avx2(out, bytes, style) : csv_copy_16_sse2(out, bytes, style);
#else
    return csv_copy_portable(out, bytes, size, style);
#endif
}

/// Whether nothing is asked for but what most files have: line feeds, quotes where they are needed, nothing for a missing value.
static inline bool csv_is_common(struct csv_style style) {
    return !style.ends_with_return && !style.quotes_all && !style.guards_marks && style.missing_length == 0;
}

/// `csv_write_rows` with blocks of 16 or 32 bytes, and without a look at what a common style has not got.
static inline __attribute__((always_inline)) bool csv_write_rows_by(size_t size, bool is_common,
                                                                    const struct csv_column *columns, size_t count,
                                                                    size_t end, struct csv_style style,
                                                                    struct csv_cursor *cursor) {
    if (is_common) style = (struct csv_style){.delimiter = style.delimiter, .quote = style.quote};
    const struct csv_column *column = columns + cursor->column;
    const struct csv_column *last = columns + count;
    uint8_t *out = cursor->out;
    size_t row = cursor->row;
    for (; row < end; row++) {
        if (style.guards_marks && column == columns && count > 0 && !(column->missing >> row & 1) &&
            column->views[row * 2 + 1] > 0 && column->text[column->views[row * 2]] == 0xEF)
            goto odd;
        for (; column < last; column++) {
            if (column->missing >> row & 1) {
                if (style.missing_length != 0) goto odd;
                *out++ = style.delimiter;
                continue;
            }
            const uint8_t *text = column->text + column->views[row * 2];
            size_t length = column->views[row * 2 + 1];
            if (length == 0 || length == style.missing_length || column->all_are_odd) goto odd;
            uint8_t *cell = out;
            if (style.quotes_all) *cell++ = style.quote;
            uint32_t found = csv_copy(cell, text, size, style);
            size_t done = 0;
            // One block holds most cells.
            if (length > size) {
                uint32_t before = found;
                for (done = size; done + size <= length; done += size) {
                    before |= csv_copy(cell + done, text + done, size, style);
                }
                if (before) goto odd;
                found = csv_copy(cell + done, text + done, size, style);
            }
            if (found & (uint32_t)(((uint64_t)1 << (length - done)) - 1)) goto odd;
            out = cell + length;
            if (style.quotes_all) *out++ = style.quote;
            *out++ = style.delimiter;
        }
        // The line end takes the place of the delimiter behind the last cell.
        if (count > 0) out--;
        if (style.ends_with_return) *out++ = '\r';
        *out++ = '\n';
        column = columns;
    }
odd:
    cursor->row = row;
    cursor->column = (size_t)(column - columns);
    cursor->out = out;
    return row == end;
}

#if SCAN_X86
SCAN_AVX2 static __attribute__((noinline, unused)) bool csv_write_rows_avx2(const struct csv_column *columns,
                                                                            size_t count, size_t end,
                                                                            struct csv_style style,
                                                                            struct csv_cursor *cursor) {
    return csv_is_common(style) ? csv_write_rows_by(32, true, columns, count, end, style, cursor)
                                : csv_write_rows_by(32, false, columns, count, end, style, cursor);
}
#endif

static __attribute__((noinline, unused)) bool csv_write_rows_plain(const struct csv_column *columns, size_t count,
                                                                   size_t end, struct csv_style style,
                                                                   struct csv_cursor *cursor) {
    return csv_is_common(style) ? csv_write_rows_by(16, true, columns, count, end, style, cursor)
                                : csv_write_rows_by(16, false, columns, count, end, style, cursor);
}

/// The most bytes behind a cell that are read and written to.
enum { CSV_CELL_SLACK = 32 };

/// Writes the cells of the rows before `end` from the cursor on, a delimiter behind each and a line end behind each row.
///
/// Stops at a cell that may hold a byte for which it must be quoted, that is empty or as long as what stands for a missing value, and
/// at a missing value for which something stands. Up to `CSV_CELL_SLACK` bytes behind a cell are read and written to.
///
/// - Returns: whether all rows before `end` are written.
static inline bool csv_write_rows(const struct csv_column *columns, size_t count, size_t end, struct csv_style style,
                                  struct csv_cursor *cursor) {
#if SCAN_X86
    if (scan_has_avx2()) return csv_write_rows_avx2(columns, count, end, style, cursor);
#endif
    return csv_write_rows_plain(columns, count, end, style, cursor);
}

#endif
