// The operands of kernels as data: what the table in kernel.hpp says.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

struct KernelOperand {
  BufferElement element = BufferElement::fp32;
  std::int64_t elements = 0;  // of the block, or of the plain tensor
  bool written = false;
  auto operator<=>(const KernelOperand&) const = default;
};

// In the order of the table.
std::vector<KernelOperand> kernel_operands(const KernelSpec& spec);

}  // namespace cnnplan
