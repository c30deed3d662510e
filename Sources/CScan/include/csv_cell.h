// Writing one cell of delimited text.
#ifndef CSCAN_CSV_CELL_H
#define CSCAN_CSV_CELL_H

#include "cpu.h"

#if SCAN_X86
/// Which of the 16 bytes at `bytes` are the delimiter, the quote, a line feed or a carriage return, while copying them
/// to `target`. SSE2 is part of every x86-64, so nothing is chosen at run time and the function can be inlined.
static inline uint32_t csv_copy_16(uint8_t *target, const uint8_t *bytes, uint8_t delimiter, uint8_t quote) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    _mm_storeu_si128((__m128i *)target, block);
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)delimiter)),
                                 _mm_cmpeq_epi8(block, _mm_set1_epi8((char)quote)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(block, _mm_set1_epi8('\n')));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(block, _mm_set1_epi8('\r')));
    return (uint32_t)_mm_movemask_epi8(found);
}
#endif

/// Copies a cell and says whether it holds a byte for which it must be quoted.
///
/// Up to 15 bytes past `length` are read from `bytes` and written to `target`, so both need that much room.
static inline bool csv_copy_cell(uint8_t *target, const uint8_t *bytes, size_t length, uint8_t delimiter,
                                 uint8_t quote) {
#if SCAN_X86
    if (length <= 16) {
        return (csv_copy_16(target, bytes, delimiter, quote) & (((uint32_t)1 << length) - 1)) != 0;
    }
    uint32_t found = 0;
    size_t done = 0;
    while (done + 16 <= length) {
        found |= csv_copy_16(target + done, bytes + done, delimiter, quote);
        done += 16;
    }
    if (done < length) {
        uint32_t valid = ((uint32_t)1 << (length - done)) - 1;
        found |= csv_copy_16(target + done, bytes + done, delimiter, quote) & valid;
    }
    return found != 0;
#else
    bool found = false;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        target[i] = byte;
        found |= byte == delimiter || byte == quote || byte == '\n' || byte == '\r';
    }
    return found;
#endif
}

#endif
