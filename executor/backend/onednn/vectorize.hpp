// Compiles hot loops for several instruction sets, and runs the version that oneDNN would choose.
#pragma once

#include "executor/backend/onednn/instruction_set.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define CNNPLAN_HAS_VERSIONS 1
#define CNNPLAN_TARGET(name) __attribute__((target(name)))
#else
#define CNNPLAN_HAS_VERSIONS 0
#define CNNPLAN_TARGET(name)
#endif

// Marks a hot loop or a part of it, which is compiled into each version.
#define CNNPLAN_INLINE inline __attribute__((always_inline))

// Marks loops whose iterations are independent although output and input may be the same array.
#define CNNPLAN_INDEPENDENT _Pragma("GCC ivdep")

namespace cnnplan::onednn {

// These functions run a loop in the version for one instruction set. Call vectorized() instead.
template <auto loop, typename... Arguments>
CNNPLAN_TARGET("arch=x86-64-v4")
auto run_avx512(Arguments... arguments) {
  return loop(arguments...);
}
template <auto loop, typename... Arguments>
CNNPLAN_TARGET("arch=x86-64-v3")
auto run_avx2(Arguments... arguments) {
  return loop(arguments...);
}
template <auto loop, typename... Arguments>
auto run_baseline(Arguments... arguments) {
  return loop(arguments...);
}

// Calls `loop`, a function marked CNNPLAN_INLINE, in the version for instruction_set(), and returns
// its result.
template <auto loop, typename... Arguments>
auto vectorized(Arguments... arguments) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return run_avx512<loop>(arguments...);
    case InstructionSet::avx2:
      return run_avx2<loop>(arguments...);
    case InstructionSet::baseline:
      return run_baseline<loop>(arguments...);
  }
  __builtin_unreachable();
}

}  // namespace cnnplan::onednn
