// Marks hot loops that are compiled for several instruction sets. The best version for the machine
// runs.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CNNPLAN_VECTORIZED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define CNNPLAN_HAS_VERSIONS 1
#else
#define CNNPLAN_VECTORIZED
#define CNNPLAN_HAS_VERSIONS 0
#endif

// Marks the parts of such loops, which are compiled into each version.
#define CNNPLAN_INLINE inline __attribute__((always_inline))

// Marks loops whose iterations are independent although output and input may be the same array.
#define CNNPLAN_INDEPENDENT _Pragma("GCC ivdep")
