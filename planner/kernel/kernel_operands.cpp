// Derives the elements of operands from their roles, and their order from kind and phase.
#include "planner/kernel/kernel_operands.hpp"

#include <stdexcept>
#include <string>

#include "planner/kernel/kernel_kinds.hpp"

namespace cnnplan {
namespace {

using enum OperandRole;

BufferElement element_of(OperandRole role, Precision precision) {
  switch (role) {
    case x:
    case a:
    case b:
    case y:
    case residual:
    case dx:
    case dy:
    case second_dy:
    case dz:
    case weight:
    case copies:
      return buffer_element(activation_element(precision));
    case index:
    case mask:
    case labels:
      return BufferElement::int32;
    case sums:
    case gradient_sums:
    case loss:
      return BufferElement::fp64;
    default:
      return buffer_element(parameter_element(precision));
  }
}

std::int64_t label_count(const Shape& shape) {
  const std::int64_t channels = shape[Dim::c];
  return channels == 0 ? 0 : volume(shape) / channels;
}

std::int64_t elements_of(OperandRole role, const KernelSpec& spec) {
  const std::int64_t channels = spec.out[Dim::c];
  switch (role) {
    case x:
    case a:
    case b:
    case dx:
      return volume(spec.in);
    case weight:
    case dweight:
      return weight_volume(spec);
    case sums:
      return 2 * channels + 1;
    case gradient_sums:
      return 2 * channels;
    case bias:
    case dbias:
    case scale:
    case shift:
    case dscale:
    case dshift:
    case running_mean:
    case running_variance:
      return channels;
    case labels:
      return label_count(spec.out);
    case loss:
      return 1;
    case mask:
      return volume(spec.out) / bits_of_word;
    default:
      return volume(spec.out);
  }
}

// Calls f(row) for every operand of the kernel, in order.
template <typename F>
void for_each_operand(const KernelSpec& spec, F f) {
  for (const OperandRow& row : phase_of(spec).operands) {
    if (row.is_there == nullptr || row.is_there(spec)) f(row);
  }
}

}  // namespace

std::vector<KernelOperand> kernel_operands(const KernelSpec& spec) {
  std::vector<KernelOperand> operands;
  for_each_operand(spec, [&](const OperandRow& row) {
    operands.push_back({.role = row.role,
                        .element = element_of(row.role, spec.precision),
                        .elements = elements_of(row.role, spec),
                        .written = row.written});
  });
  return operands;
}

OperandPositions::OperandPositions(const KernelSpec& spec) {
  positions_.fill(absent);
  for_each_operand(spec, [this](const OperandRow& row) {
    positions_[static_cast<std::size_t>(row.role)] = count_++;
  });
}

void OperandPositions::refuse(OperandRole role) const {
  throw std::logic_error("a kernel of " + std::to_string(count_) + " operands has none of role " +
                         std::to_string(static_cast<int>(role)));
}

}  // namespace cnnplan
