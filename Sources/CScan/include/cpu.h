// Which vector instructions this machine has.
#ifndef CSCAN_CPU_H
#define CSCAN_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define SCAN_X86 1
#define SCAN_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))
#define SCAN_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))
#else
#define SCAN_X86 0
#endif

/// How far the choice of instructions may go; every level gives the same answers.
enum scan_level { SCAN_PORTABLE = 0, SCAN_LEVEL_AVX2 = 2, SCAN_LEVEL_AVX512 = 3 };

/// Holds all scanning to a level and those below it, so that tests can compare whole runs.
void scan_set_limit(enum scan_level level);
enum scan_level scan_limit(void);

/// Whether the AVX2 variants may run: AVX2, BMI and carry-less multiplication are all there.
static inline bool scan_has_avx2(void) {
#if SCAN_X86
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
           scan_limit() >= SCAN_LEVEL_AVX2;
#else
    return false;
#endif
}

/// Whether the AVX-512 variants may run: what AVX2 needs, and compression of bytes (VBMI2) as well.
static inline bool scan_has_avx512(void) {
#if SCAN_X86
    return scan_has_avx2() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") && scan_limit() >= SCAN_LEVEL_AVX512;
#else
    return false;
#endif
}

#endif
