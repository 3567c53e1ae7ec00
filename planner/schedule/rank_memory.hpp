// Says what memory a rank needs: the one home of the rule that prediction, search and executor ask.
//
// A rank's memory has four shares (MemoryUse):
//
//   parameters   Weights, their copies in the precision of activations, gradients, and momentum, or
//                the state of another optimizer (Plan::optimizer_state_bytes). They are padded
//                (parameter_offsets.hpp).
//   activations  The arena, in which buffers whose lives do not overlap share memory
//                (memory_layout.hpp). Samples and the states of chains have memory of their own. A
//                GPU may store more channels of samples (stored_samples.hpp).
//   buffers      All other buffers: labels, losses, running values and parts of gradients. Messages
//                that are copied on their way (staging). Workspaces of kernels.
//   process      The program and its libraries, as the platform says (Platform::process_bytes).
//
// Schedules have the first three. The prediction adds the last one.
//
// The executor checks the sum before it allocates (executor/comm/node_memory.hpp). It may allocate
// more, because a backend on CPUs may have a format of its own for weights
// (executor/step/parameter_store.hpp); run.json has the bytes as peak_memory_bytes, and what the
// system says of the process as process_peak_bytes. The search prices memory before a plan has a
// schedule: layers by layer_bytes, and what a reader keeps of its input by
// planner/search/pricing/edge_prices.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// True for roles whose buffers share the arena.
bool in_arena(BufferRole role);
// True if buffers of this role are counted with parameters.
bool is_parameter(BufferRole role);
// True for roles whose buffers count in the share `activations`, but are not in the arena.
bool is_activation_apart(BufferRole role);

// Returns the memory of the messages that cannot be sent from or received into the operation's
// buffers as they are; 0 for operations other than transfers. It is kept from step to step.
std::int64_t staging_bytes(const Schedule& schedule, const Operation& operation);

// Holds the workspaces of a schedule's kernels, and the device that runs them.
struct Workspaces {
  std::vector<std::int64_t> bytes{};  // by operation
  bool shared = false;                // the kernels of a lane share one workspace
  DeviceKind device = DeviceKind::cpu;
};
// Returns the memory of all workspaces. @pre `bytes` is empty, or has one entry per operation
std::int64_t workspace_bytes(const Schedule& schedule, const Workspaces& workspaces);

// Returns the memory of one rank. Without `workspaces`, no workspaces of kernels count.
// @pre arena_bytes is set. available_bytes of the result stays 0, as in memory_within
MemoryUse memory_of(const Schedule& schedule, const Workspaces& workspaces = {});
// Says how much memory there is for a rank, and how much of it the process takes; 0 if not known.
struct MemoryLimit {
  std::int64_t available_bytes = 0;
  std::int64_t process_bytes = 0;
};
// Returns the memory of a schedule that was lowered for prices, with that of the process, and sets
// the schedule's arena_bytes. If all buffers fit without sharing memory, it returns their sum,
// which is more than the rank needs. Otherwise, buffers get places first.
MemoryUse memory_within(const MemoryLimit& limit, Schedule& schedule, const Workspaces& workspaces);
// Returns the memory of the rank that needs most, with available_bytes set. All needs are 0 where
// there are no ranks.
MemoryUse most_of(std::span<const MemoryUse> ranks, std::int64_t available_bytes);
// True if a rank that needs `bytes` can run; 0 available bytes mean that the limit is not known.
bool fits(std::int64_t bytes, std::int64_t available_bytes);

// Returns the memory that each layer's forward pass leaves for backpropagation: activations, halos,
// what it fetched, the samples, and states of chains. These three functions return bytes of this
// rank.
IndexedVector<LayerIndex, std::int64_t> kept_bytes(const Schedule& schedule,
                                                   DeviceKind device = DeviceKind::cpu);
// Returns the memory of each layer's parameters. The sum is the share `parameters`. In a sharded
// update, it is only close: slots round their momentum up, and room for equal shards belongs to no
// layer.
IndexedVector<LayerIndex, std::int64_t> parameter_bytes(const Schedule& schedule,
                                                        DeviceKind device = DeviceKind::cpu);
// Returns the memory that each layer holds when backpropagation begins: the sum of kept_bytes
// and parameter_bytes.
IndexedVector<LayerIndex, std::int64_t> layer_bytes(const Schedule& schedule,
                                                    DeviceKind device = DeviceKind::cpu);

}  // namespace cnnplan
