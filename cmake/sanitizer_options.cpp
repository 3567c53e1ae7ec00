// Sets the options of AddressSanitizer for every program. The environment variable ASAN_OPTIONS
// overrides them. It also keeps oneDNN from code that does not run beside them.
#include <cstdlib>

// AddressSanitizer calls this function when a program starts.
extern "C" const char* __asan_default_options();

// By default, AddressSanitizer keeps 256 MB of freed memory to find late uses of it, and 30 frames of
// the stack of each allocation. The page faults and the stacks are half of the time of tests that
// allocate much. A use after free follows the free closely, and 8 frames name the place.
const char* __asan_default_options() {
  return "quarantine_size_mb=16:malloc_context_size=8";
}

// oneDNN 2.6.3 reads one entry behind a table of its own when it makes a convolution for AMX in
// bf16, and does not use it. Behind an allocation of a sanitizer, there may be no memory. Our own
// code is the same without AMX. A cap that a test sets stays.
__attribute__((constructor)) static void leave_out_amx() {
  setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
}
