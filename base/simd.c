/* simd.c: which kernels run: plain C or AVX2+FMA. */
#include "base/base.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The library's second process-wide setting. PO_SIMD_AUTO: the CPU has not been asked yet. Read and written atomically,
 * so that threads may share the first question. */
static int simd_in_force = PO_SIMD_AUTO;

/* AVX2 and FMA in the CPU, and the operating system saves the wide registers. Asked by the instruction itself: the compiler's
 * __builtin_cpu_supports would add a symbol from outside libc and libm. */
static int simd_cpu_has_avx2(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  const unsigned fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28;
  if ((c & (fma | osxsave | avx)) != (fma | osxsave | avx)) return 0;
  unsigned xcr0, high;
  __asm__("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
  if ((xcr0 & 6u) != 6u) return 0; /* xmm and ymm state */
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  return (b >> 5) & 1;
#else
  return 0;
#endif
}

po_status po_set_simd(po_simd choice) {
  if (choice != PO_SIMD_AUTO && choice != PO_SIMD_SCALAR && choice != PO_SIMD_AVX2) return PO_ERR_RANGE;
  int has = simd_cpu_has_avx2();
  if (choice == PO_SIMD_AVX2 && !has) return PO_ERR_UNSUPPORTED;
  if (choice == PO_SIMD_AUTO) choice = has ? PO_SIMD_AVX2 : PO_SIMD_SCALAR;
  __atomic_store_n(&simd_in_force, (int)choice, __ATOMIC_RELAXED);
  return PO_OK;
}

po_simd po_get_simd(void) {
  int choice = __atomic_load_n(&simd_in_force, __ATOMIC_RELAXED);
  if (choice == PO_SIMD_AUTO) {
    po_set_simd(PO_SIMD_AUTO);
    choice = __atomic_load_n(&simd_in_force, __ATOMIC_RELAXED);
  }
  return (po_simd)choice;
}

const char *po_simd_string(po_simd choice) {
  switch (choice) {
    case PO_SIMD_AUTO: return "auto";
    case PO_SIMD_SCALAR: return "scalar";
    case PO_SIMD_AVX2: return "avx2";
  }
  return "unknown";
}
