// The schedule: one rank's operations of one training step. Lowered once from a plan, then walked
// by the predictor in virtual time and by the executor for real.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/kernel/kernel.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/element.hpp"
#include "planner/tensor/rank_group.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

using OperationIndex = int;
using BufferIndex = int;

enum class Stream { compute, halo, reduce, io };
std::string_view to_text(Stream stream);

enum class BufferRole {
  activation,    // kept in the arena, by liveness
  error_signal,  // likewise
  scratch,       // likewise: statistics, pooling indices, probabilities, differences
  data,          // samples as this rank's kernels read them, filled by LoadOperation
  labels,        // of this rank's block of a loss: int32, one per position, or targets
  loss,          // one double
  weights,       // the parameter arenas, addressed by slots
  gradients,
  momentum,
  weight_copies,  // the weights in the precision of activations, where that is another one
  running,        // running mean or variance of a batch norm
  state,          // of a chain, for the first guess of the next step; zero in the first
  // One weight's gradient by some blocks of samples: whichever slot the operand names.
  gradient_part,
};

// Memory of a block. The bytes are dense and channels-last: (N, D, H, W, C).
struct Buffer {
  std::string name;
  BufferRole role = BufferRole::activation;
  BufferElement element = BufferElement::fp32;
  // Global indices held here, halo included; flat buffers hold [0, elements) of w, running values
  // their channels of w.
  Box box;
  std::int64_t bytes = 0;
  std::int64_t offset_bytes = 0;  // in the arena; arena roles only
  OperationIndex first_use = -1;
  OperationIndex last_use = -1;
};

enum class ParameterRole { weight, bias, scale, shift };
std::string_view to_text(ParameterRole role);

// This rank's part of one parameter tensor. Slots are in the order in which backpropagation
// completes their gradients, so that a bucket is a contiguous range of slots.
struct ParameterSlot {
  LayerIndex layer = 0;
  ParameterRole role = ParameterRole::weight;
  Shape shape;                // whole weight: (F, C/groups, KD, KH, KW); others (1, 1, 1, 1, F)
  Box box;                    // what of it this rank has
  std::int64_t elements = 0;  // of the box
  KernelSpec forward;         // of the convolution that owns the weight
};

// Slots whose gradients are summed together, over the ranks that have the same slices.
struct GradientRange {
  int first_slot = 0;
  int last_slot = 0;  // inclusive
  RankGroup group;
  bool ends_bucket = false;
};

// A view: a block of a buffer, or a range of slots of a parameter arena.
struct Operand {
  BufferIndex buffer = -1;
  Box box;
  int first_slot = -1;  // inclusive; -1 where the buffer is no parameter arena
  int last_slot = -1;   // inclusive
  // Of the elements of these slots, padding included, the shard with this number out of so many
  // (planner/tensor/shard.hpp). `box` is then a whole shard.
  int shards = 1;
  int shard = 0;
  bool written = false;
};

struct KernelOperation {
  KernelSpec spec;
  KernelConstants constants;
  std::string implementation{};   // that was profiled; empty: the backend chooses
  std::vector<Operand> operands;  // in the order that KernelSpec documents
};

// Moves blocks between ranks: halo exchange, shuffle, concat or slice, and its reverse in
// backpropagation.
struct TransferOperation {
  BufferIndex source = -1;       // -1: nothing to send
  BufferIndex destination = -1;  // -1: nothing to receive; may be the source
  TransferList list;
  std::shared_ptr<const TransferRule> rule{};  // of the lists of all ranks; may be left out
  // Channels of the buffers that the list calls 0: where a concat has the tensor that is moved, and
  // below 0 where a slice begins later than its input.
  std::int64_t source_channel = 0;
  std::int64_t destination_channel = 0;
  bool accumulate = false;  // add what is received, in the order of the list
  bool zero_first = false;  // clear the destination before
  bool of_sums = false;     // between parts of sums over channels and their owners, or back
  int tag = 0;              // the same on all ranks
};

// Sum over `group`, in place, or one of its halves.
struct CollectiveOperation {
  CollectiveKind kind = CollectiveKind::allreduce;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
  int ranks_per_node = 1;  // of the group, for `hierarchical` (exchange_rounds.hpp); else 1
  RankGroup group;         // this rank among them
  Operand operand;
  ElementType element = ElementType::fp32;
  std::int64_t elements = 0;  // of plain tensors
};

// Next samples and labels of this rank's block.
struct LoadOperation {
  BufferIndex data = -1;
  std::vector<BufferIndex> labels;  // of all losses, no two for one block
};

using OperationBody =
    std::variant<KernelOperation, TransferOperation, CollectiveOperation, LoadOperation>;

struct Operation {
  std::string id;  // stable and the same on all ranks that have the operation
  LayerIndex layer = -1;
  Stream stream = Stream::compute;
  // Of the kernels of a rank, those of one lane run in order, and lanes at the same time. All but
  // kernels of concurrent groups of layers are in lane 0.
  int lane = 0;
  std::vector<OperationIndex> depends_on;  // earlier in the list
  OperationBody body;
};

// What is left of the equation of a C-point on the finest level of a chain: the state that the
// layer in front of it makes, less the state that is there.
struct PointResidual {
  int cycles = 0;     // that were over
  bool last = false;  // no cycle of the chain follows
  bool backward = false;
  Operand operand;  // kept to the end of the step
};

// True for what waits for other ranks: transfers and collectives.
bool is_communication(const Operation& operation);

struct Schedule {
  int rank = 0;
  int ranks = 1;
  int lanes = 1;
  std::vector<Buffer> buffers;
  std::vector<ParameterSlot> slots;
  std::vector<Operation> operations;           // a valid order of execution
  std::vector<GradientRange> gradient_ranges;  // all slots, in order; none without gradients
  // After a step a rank has of the weights, of the sums of gradients and, always, of momentum its
  // shards alone: of every range, the one with the number of its place in the group. The next step
  // gathers the weights first.
  bool sharded_update = false;
  BufferIndex weights = -1;
  BufferIndex gradients = -1;
  BufferIndex momentum = -1;
  BufferIndex weight_copies = -1;  // -1 where convolutions read the weights themselves
  BufferIndex data = -1;
  Box data_box;  // what is loaded of the samples: this rank's block, perhaps with its halo
  BufferIndex labels = -1;          // of the main loss
  std::vector<BufferIndex> losses;  // weighted, the main one last; the step's loss is their sum
  std::vector<Operand> outputs;     // by layer: this rank's block; buffer -1 when fused away
  std::vector<BufferIndex> running_mean;      // by layer, -1 where not a batch norm
  std::vector<BufferIndex> running_variance;  // likewise
  std::int64_t arena_bytes = 0;
  std::vector<PointResidual> residuals;  // where they were asked for
};

// What the buffers of a transfer hold, in the indices of its list; nothing where there is no
// buffer.
Box source_box(const Schedule& schedule, const TransferOperation& transfer);
Box destination_box(const Schedule& schedule, const TransferOperation& transfer);

// One rank's training step under `plan`.
// @throws InputError for a plan that cannot be lowered (pointer into plan.json)
// @pre validate(plan) holds; 0 <= rank < plan.ranks
Schedule lower(const Plan& plan, int rank);
// The same for several ranks: what they share is computed once.
std::vector<Schedule> lower(const Plan& plan, std::span<const int> ranks);

// A training step; the same as it is predicted, where an operation tells what it waits for only if
// streams overlap or there are lanes; the forward pass alone as lower_inference has it; or what
// lower_for_prices has.
enum class Mode { training, prediction, inference, prices };
// Several ranks, each handed to `take` with its place among `ranks` as soon as it is there, on all
// cores at once: whoever keeps little of them needs memory for a few only.
void lower_each(const Plan& plan,
                std::span<const int> ranks,
                Mode mode,
                const std::function<void(std::size_t, Schedule)>& take);

// The same without places in memory: offsets and arena_bytes stay 0, and no operation waits for
// another's memory. What is priced one by one needs neither, and they take most of the
// time that a long network's lowering takes.
std::vector<Schedule> lower_for_prices(const Plan& plan, std::span<const int> ranks);
// The same step, with the residuals of all chains that multigrid runs: before every coarse
// correction, and at the end. Left out are those of points in front of which a coarse step passes
// layers of several stages, and where F-relaxation begins with the step before, of the last point,
// whose state that did not keep.
Schedule lower_with_residuals(const Plan& plan, int rank);
// Forward only, batch norm with running values: for evaluation on test data, and for outputs. What
// goes into the main loss stays; its operation leaves probabilities or differences in
// outputs[loss_layer]. Layers that only auxiliary losses need have parameters, but do not run.
Schedule lower_inference(const Plan& plan, int rank);

// Memory that an operation needs for the messages that cannot be sent from or received into its
// buffers as they are; 0 for all but transfers. It is kept from step to step.
std::int64_t staging_bytes(const Schedule& schedule, const Operation& operation);
// By layer, the memory that its forward pass leaves for backpropagation: activations, halos, what
// it fetched, and the samples.
std::vector<std::int64_t> kept_bytes(const Schedule& schedule);
// By layer, what its parameters take: weights, copies of them, gradients and momentum.
std::vector<std::int64_t> parameter_bytes(const Schedule& schedule);
// Memory of one rank, staging included, without the workspaces of kernels.
MemoryUse memory_of(const Schedule& schedule);

}  // namespace cnnplan
