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
#else
#define SCAN_X86 0
#endif

/// Whether the AVX2 variants may run: AVX2, BMI and carry-less multiplication are all there.
static inline bool scan_has_avx2(void) {
#if SCAN_X86
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul");
#else
    return false;
#endif
}

#endif
