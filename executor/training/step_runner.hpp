// Walks a schedule for real: the executor's interpreter. Decides nothing about distribution.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/backend/memory_block.hpp"
#include "executor/training/data_source.hpp"
#include "executor/training/groups.hpp"
#include "executor/training/parameter_store.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// What a schedule runs on. All are borrowed.
struct StepContext {
  Backend* backend = nullptr;
  ParameterStore* parameters = nullptr;
  Groups* groups = nullptr;    // null: communication is left out (profiling)
  DataSource* data = nullptr;  // null: samples and labels stay as they are
  // Where communication is left out: called in its place with the operation's id; may be empty.
  std::function<void(const std::string& id)> in_place_of_communication;
};

// Builds kernels, transfers and buffers once; a step allocates nothing.
class StepRunner {
 public:
  // Keeps references to `schedule` and to what `context` points at. Collective where the schedule
  // communicates. @throws BackendError for a kernel that the backend refuses
  StepRunner(const Schedule& schedule, const StepContext& context);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  // One step. Blocks; collective over all ranks of the schedule.
  void run(const StepState& state);

  // Seconds of every operation in the last step.
  std::span<const double> operation_times_s() const { return times_s_; }
  double step_time_s() const { return step_time_s_; }
  // Mean loss over the global mini-batch of the last step.
  double loss() const;
  TensorView view(const Operand& operand) const;
  // This rank's block of a buffer that is no parameter arena.
  TensorView buffer_view(BufferIndex buffer, const Box& box) const;
  std::int64_t memory_bytes() const;
  // Per operation, 0 or "" where it is no kernel.
  std::int64_t workspace_bytes(OperationIndex operation) const;
  const std::string& implementation(OperationIndex operation) const;

 private:
  using Action = std::function<void(const StepState&)>;
  struct Prepared {
    Action action;  // empty: left out
    std::int64_t workspace_bytes = 0;
    std::int64_t staging_bytes = 0;
    std::string implementation;
  };

  void allocate();
  void* address(BufferIndex buffer) const;
  Prepared prepare(const KernelOperation& operation);
  Prepared prepare(const TransferOperation& operation);
  Prepared prepare(const CollectiveOperation& operation);
  Prepared prepare(const LoadOperation& operation);
  TensorView parameter_view(const Operand& operand) const;
  const Buffer& buffer(BufferIndex index) const;

  const Schedule& schedule_;
  StepContext context_;
  MemoryBlock arena_;
  std::vector<MemoryBlock> own_memory_;  // by buffer: the roles outside the arena
  std::vector<LayerIndex> running_layer_;
  std::vector<Prepared> prepared_;
  std::vector<double> times_s_;
  double step_time_s_ = 0.0;
};

}  // namespace cnnplan
