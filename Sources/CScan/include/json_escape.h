// Writing text as the inside of a JSON string (RFC 8259, section 7).
#ifndef CSCAN_JSON_ESCAPE_H
#define CSCAN_JSON_ESCAPE_H

#include "cpu.h"

struct json_escaped {
    /// How many bytes were written.
    size_t length;
    /// Whether all bytes of the text are ASCII.
    bool is_ascii;
};

/// Whether a byte cannot stand in a JSON string as it is.
static inline bool json_must_escape(uint8_t byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }

/// Writes the escape of one byte, in at most six.
static inline uint8_t *json_put_escape(uint8_t *target, uint8_t byte) {
    uint8_t letter = 'u';
    switch (byte) {
    case '"':
    case '\\': letter = byte; break;
    case '\b': letter = 'b'; break;
    case '\t': letter = 't'; break;
    case '\n': letter = 'n'; break;
    case '\f': letter = 'f'; break;
    case '\r': letter = 'r'; break;
    }
    target[0] = '\\';
    target[1] = letter;
    if (letter != 'u') return target + 2;
    target[2] = '0';
    target[3] = '0';
    target[4] = (uint8_t)('0' + (byte >> 4));
    target[5] = "0123456789abcdef"[byte & 15];
    return target + 6;
}

static inline struct json_escaped json_escape_portable(uint8_t *target, const uint8_t *bytes, size_t length) {
    uint8_t *next = target;
    uint8_t all = 0;
    for (size_t i = 0; i < length; i++) {
        all |= bytes[i];
        if (json_must_escape(bytes[i])) {
            next = json_put_escape(next, bytes[i]);
        } else {
            *next++ = bytes[i];
        }
    }
    return (struct json_escaped){(size_t)(next - target), all < 0x80};
}

#if SCAN_X86
// SSE2 belongs to every x86-64, so nothing is chosen at run time and the loop dissolves in that of the caller.
static inline struct json_escaped json_escape_sse2(uint8_t *target, const uint8_t *bytes, size_t length) {
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1F);
    uint8_t *next = target;
    uint32_t high = 0;
    size_t i = 0;
    while (i < length) {
        size_t left = length - i < 16 ? length - i : 16;
        uint32_t valid = ((uint32_t)1 << left) - 1;
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + i));
        _mm_storeu_si128((__m128i *)next, block);
        __m128i special = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
        special = _mm_or_si128(special, _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
        uint32_t found = (uint32_t)_mm_movemask_epi8(special) & valid;
        high |= (uint32_t)_mm_movemask_epi8(block) & valid;
        if (found == 0) {
            next += left;
            i += left;
            continue;
        }
        size_t plain = (size_t)__builtin_ctz(found);
        next = json_put_escape(next + plain, bytes[i + plain]);
        i += plain + 1;
    }
    return (struct json_escaped){(size_t)(next - target), high == 0};
}
#endif

/// Writes text as the inside of a JSON string.
///
/// Up to 15 bytes past `length` are read, and up to 15 past what is needed are written: `target` has room for six times
/// `length` and 16 more.
static inline struct json_escaped json_escape(uint8_t *target, const uint8_t *bytes, size_t length) {
#if SCAN_X86
    return json_escape_sse2(target, bytes, length);
#else
    return json_escape_portable(target, bytes, length);
#endif
}

#endif
