#include "executor/backend/onednn/instruction_set.hpp"

#include <dnnl.hpp>

namespace cnnplan::onednn {
namespace {

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

// The values of dnnl::cpu_isa are sets of bits, and larger instruction sets have the bits of the
// smaller ones.
bool may_use(dnnl::cpu_isa wanted) {
  const auto bits = static_cast<unsigned>(wanted);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

InstructionSet detect() {
#if defined(__x86_64__)
  if (may_use(dnnl::cpu_isa::avx512_core) && has_avx512()) return InstructionSet::avx512;
  if (may_use(dnnl::cpu_isa::avx2) && has_avx2()) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet found = detect();
  return found;
}

}  // namespace cnnplan::onednn
