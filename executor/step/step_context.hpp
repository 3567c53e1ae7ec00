// Holds the objects that a step runs on, and says how it runs.
#pragma once

#include <functional>
#include <string>

#include "executor/backend/backend.hpp"
#include "executor/data/data_source.hpp"
#include "executor/step/graph_choice.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/schedule_memory.hpp"

namespace cnnplan {

// Borrows the objects that a schedule runs on, and says how it runs.
struct StepContext {
  Backend* backend = nullptr;
  ParameterStore* parameters = nullptr;
  Groups* groups = nullptr;                  // null: communication is left out (profiling)
  DataSource* data = nullptr;                // null: samples and labels stay as they are
  const SavedChainStates* states = nullptr;  // where chains start from; null: from zeros
  // A step calls this function with the operation's id in place of communication that is left out.
  // It may be empty.
  std::function<void(const std::string& id)> in_place_of_communication;
  bool updates = true;  // false: weights and momentum stay as they are
  // A step calls this function with its loss when gradients are known and nothing is updated yet.
  // If it throws, the step ends. It may be empty, and a step without updates does not call it.
  std::function<void(double loss)> before_updates = {};
  bool replicas_agree = true;  // false: replicas may compute different bits (profiling)
  // If true, operations use the queue of their stream. If false, all use the compute queue. It only
  // matters for devices with queues.
  bool overlap = false;
  Graphs graphs = Graphs::off;  // whether kernels that follow each other start as one graph
  // Says whether the data of a step are loaded while the step before it runs, where the device is
  // no host. Empty: they never are. After such a step, ScheduleMemory::host_view() has other data.
  std::function<bool(std::int64_t step)> loads_ahead = {};
  // If this function is set, a kernel that cannot be made or started is left out of all steps, and
  // the function is called once for the kernel. If it is empty, the error is thrown.
  std::function<void(const KernelSpec& spec, const std::string& why)> left_out = {};
};

// Says whether a step times each operation or itself. Events between kernels cost time on a GPU.
enum class Timing { operations, step };

}  // namespace cnnplan
