// Runs a convolution of oneDNN's backend in guarded memory, and compares it with the reference.
#pragma once

#include <string>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::test {

struct WindowTrial {
  std::string implementation;  // empty where the kernel was refused
  std::string fault;           // empty where there is none
};

// The operands are small integers, so that sums in fp32 are exact. The kernel runs twice, each time
// on a workspace of NaN.
WindowTrial try_window(const KernelSpec& spec);

}  // namespace cnnplan::test
