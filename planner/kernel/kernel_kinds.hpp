// Describes every kind of kernel: its name, its phases with their operands, and its work.
#pragma once

#include <span>
#include <string_view>

#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_work.hpp"
#include "planner/kernel/operand_role.hpp"

namespace cnnplan {

// Describes an operand of the kernels of one kind and phase.
struct OperandRow {
  OperandRole role = OperandRole::x;
  bool written = false;  // false if the kernel only reads it
  // Says whether a kernel has the operand. It is null if every kernel has it.
  bool (*is_there)(const KernelSpec& spec) = nullptr;
};

// Describes the kernels of one kind and phase.
struct PhaseRow {
  KernelPhase phase = KernelPhase::forward;
  std::span<const OperandRow> operands;  // in the order in which a kernel takes them
  // The kernel is taken to read or write this many tensors of the size of its output block. The
  // number is 0 for kinds whose work does not follow from it.
  double passes = 0.0;
  // Counts the further passes that flags of the spec ask for. It is null if there are none.
  double (*more_passes)(const KernelSpec& spec) = nullptr;
};

// Describes the kernels of one kind.
struct KernelKindRow {
  KernelKind kind = KernelKind::convolution;
  std::string_view name;                                 // as in JSON
  std::span<const PhaseRow> phases;                      // all phases that the kind has
  bool has_window = false;                               // its kernels use KernelSpec::window
  double (*flops)(const KernelSpec& spec) = pass_flops;  // floating-point operations
  double (*bytes)(const KernelSpec& spec) = pass_bytes;  // that must move at least
  // Counts those of `bytes` that the kernels of a GPU do not move. It is null if there are none.
  double (*unmoved_by_gpu)(const KernelSpec& spec) = nullptr;
};

// Returns the row of a kind. Every kind has one.
const KernelKindRow& row_of(KernelKind kind);
bool has_phase(KernelKind kind, KernelPhase phase);
// Returns the row of the kernel's phase.
// @throws std::logic_error unless has_phase(spec.kind, spec.phase)
const PhaseRow& phase_of(const KernelSpec& spec);

}  // namespace cnnplan
