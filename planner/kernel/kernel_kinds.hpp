// Describes every kind of kernel: its name, its phases with their operands, and its work.
#pragma once

#include <span>
#include <string_view>

#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_work.hpp"
#include "planner/kernel/operand_role.hpp"

namespace cnnplan {

struct OperandRow {
  OperandRole role = OperandRole::x;
  bool written = false;
  // Says whether a kernel has the operand. It is null if every kernel has it.
  bool (*is_there)(const KernelSpec& spec) = nullptr;
};

struct PhaseRow {
  KernelPhase phase = KernelPhase::forward;
  std::span<const OperandRow> operands;  // in the order in which a kernel takes them
  // The kernel reads or writes this many tensors of the size of its output block. The number is 0
  // for kinds whose work does not follow from it.
  double passes = 0.0;
  // Counts the further passes that flags of the spec ask for. It is null if there are none.
  double (*more_passes)(const KernelSpec& spec) = nullptr;
};

struct KernelKindRow {
  KernelKind kind = KernelKind::convolution;
  std::string_view name;
  std::span<const PhaseRow> phases;
  bool has_window = false;
  double (*flops)(const KernelSpec& spec) = pass_flops;
  double (*bytes)(const KernelSpec& spec) = pass_bytes;
};

const KernelKindRow& row_of(KernelKind kind);
bool has_phase(KernelKind kind, KernelPhase phase);
// @throws std::logic_error unless has_phase(spec.kind, spec.phase)
const PhaseRow& phase_of(const KernelSpec& spec);

}  // namespace cnnplan
