// Lists the operands of a kernel as data, and finds the position of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"
#include "planner/kernel/operand_role.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Describes one operand of a certain kernel.
struct KernelOperand {
  OperandRole role = OperandRole::x;
  BufferElement element = BufferElement::fp32;  // the type of its numbers
  std::int64_t elements = 0;                    // of the block of activations, or of the array
  bool written = false;                         // false if the kernel only reads it
  auto operator<=>(const KernelOperand&) const = default;
};

// Returns the operands in the order in which the kernel takes them. @pre the kind has the phase
std::vector<KernelOperand> kernel_operands(const KernelSpec& spec);

// Returns the role of the block from which a kernel with one input makes its result: x if the phase
// is `forward`, else dy.
constexpr OperandRole block_read(KernelPhase phase) {
  return phase == KernelPhase::forward ? OperandRole::x : OperandRole::dy;
}

// Returns the role of the block that such a kernel writes: y if the phase is `forward`, else dx.
constexpr OperandRole block_written(KernelPhase phase) {
  return phase == KernelPhase::forward ? OperandRole::y : OperandRole::dx;
}

// Finds the operands of one kernel by role. It is made once per kernel, whose kind must have its
// phase, and a look-up reads one entry of a table.
class OperandPositions {
 public:
  explicit OperandPositions(const KernelSpec& spec);

  std::size_t count() const { return count_; }
  bool has(OperandRole role) const { return entry(role) < count_; }
  // Returns the place of the operand among kernel_operands(spec).
  // @throws std::logic_error unless has(role)
  std::size_t operator[](OperandRole role) const {
    if (!has(role)) refuse(role);
    return entry(role);
  }

 private:
  static constexpr std::size_t role_count = static_cast<std::size_t>(OperandRole::copies) + 1;
  static constexpr std::uint8_t absent = 255;

  std::uint8_t entry(OperandRole role) const { return positions_[static_cast<std::size_t>(role)]; }
  [[noreturn]] void refuse(OperandRole role) const;

  std::array<std::uint8_t, role_count> positions_{};
  std::uint8_t count_ = 0;
};

}  // namespace cnnplan
