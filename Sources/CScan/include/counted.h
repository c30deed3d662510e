// Which of 64 numbers are counted up by 1. Plain loops: compilers make vectors of them for every processor.
#ifndef CSCAN_COUNTED_H
#define CSCAN_COUNTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scan_counted {
    // What the first number is where it belongs to those that are counted up; it is `first + i` for number i.
    uint64_t first;
    // A bit for each number that is counted up, and for each that is `first` to `first + 63`, wherever it stands.
    uint64_t counted;
    uint64_t near;
};

// In pieces of 16, which are as long as vectors can be compared and turned to bits at once.
#define SCAN_COUNTED(name, type)                                                                                       \
    static inline struct scan_counted name(const uint8_t *bytes) {                                                     \
        type numbers[64];                                                                                              \
        memcpy(numbers, bytes, sizeof numbers);                                                                        \
        struct scan_counted result = {numbers[0], 0, 0};                                                               \
        for (uint64_t i = 0; i < 8; i++) {                                                                             \
            if ((uint64_t)numbers[i + 1] != (uint64_t)numbers[i] + 1) continue;                                        \
            result.first = (uint64_t)numbers[i] - i;                                                                   \
            break;                                                                                                     \
        }                                                                                                              \
        /* Numbers do not begin again at 0 behind the largest. */                                                      \
        if (result.first > (uint64_t)(type)-1 - 63) return result;                                                     \
        for (size_t start = 0; start < 64; start += 16) {                                                              \
            const type first = (type)(result.first + start);                                                           \
            uint32_t counted = 0, near = 0;                                                                            \
            for (size_t i = 0; i < 16; i++) {                                                                          \
                counted |= numbers[start + i] == (type)(first + i) ? (uint32_t)1 << i : 0;                             \
                near |= (type)(numbers[start + i] - (type)result.first) < 64 ? (uint32_t)1 << i : 0;                   \
            }                                                                                                          \
            result.counted |= (uint64_t)counted << start;                                                              \
            result.near |= (uint64_t)near << start;                                                                    \
        }                                                                                                              \
        return result;                                                                                                 \
    }

SCAN_COUNTED(scan_counted_8, uint8_t)
SCAN_COUNTED(scan_counted_16, uint16_t)
SCAN_COUNTED(scan_counted_32, uint32_t)
SCAN_COUNTED(scan_counted_64, uint64_t)

/// Which of 64 numbers of `width` bytes each, 1, 2, 4 or 8, are counted up.
static inline struct scan_counted scan_counted(const uint8_t *bytes, size_t width) {
    switch (width) {
    case 1: return scan_counted_8(bytes);
    case 2: return scan_counted_16(bytes);
    case 4: return scan_counted_32(bytes);
    default: return scan_counted_64(bytes);
    }
}

#endif
