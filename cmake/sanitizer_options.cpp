// Sets the options of AddressSanitizer for every program. The environment variable ASAN_OPTIONS
// overrides them.

// AddressSanitizer calls this function when a program starts.
extern "C" const char* __asan_default_options();

// By default, AddressSanitizer keeps 256 MB of freed memory to find late uses of it, and 30 frames of
// the stack of each allocation. The page faults and the stacks are half of the time of tests that
// allocate much. A use after free follows the free closely, and 8 frames name the place.
const char* __asan_default_options() {
  return "quarantine_size_mb=16:malloc_context_size=8";
}
