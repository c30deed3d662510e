#include "CScan.h"

#include <stdatomic.h>

static _Atomic(int) limit = SCAN_LEVEL_AVX512;

void scan_set_limit(enum scan_level level) { atomic_store_explicit(&limit, (int)level, memory_order_relaxed); }

enum scan_level scan_limit(void) { return (enum scan_level)atomic_load_explicit(&limit, memory_order_relaxed); }
