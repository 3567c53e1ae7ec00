// Defines the schedule: one rank's operations of one training step. A plan is lowered to it once.
// The predictor then walks it in virtual time, and the executor runs it.
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

#include "planner/base/indexed_vector.hpp"
#include "planner/base/typed_index.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/operation_label.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/element.hpp"
#include "planner/tensor/rank_group.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Each of these types is a place in a list of Schedule: operations, buffers or slots. The default
// is -1 and names nothing.
using OperationIndex = TypedIndex<struct OperationTag>;
using BufferIndex = TypedIndex<struct BufferTag>;
using SlotIndex = TypedIndex<struct SlotTag>;

// Names the kinds of work that may run at the same time: kernels with the sums of batch norms
// (compute), all transfers (halo), sums of gradients and losses with gathered weights (reduce), and
// loading of samples (io). Operations of one stream run in order, except in different lanes.
enum class Stream { compute, halo, reduce, io };
// Both functions named to_text return the name of the enumerator.
std::string_view to_text(Stream stream);

// Says what a buffer holds. rank_memory.hpp says how each role counts.
enum class BufferRole {
  activation,    // kept in the arena from its first to its last use
  error_signal,  // kept in the arena, too
  scratch,       // kept in the arena, too: statistics, pooling indices, probabilities, differences
  data,          // samples as this rank's kernels read them, filled by LoadOperation
  labels,        // for this rank's block of a loss: int32, one per position, or targets
  loss,          // one double
  weights,       // the parameter arenas, addressed by slots
  gradients,
  momentum,
  weight_copies,  // the weights in the precision of activations, where the two differ
  running,        // running mean or variance of a batch norm
  state,          // first guess of a chain for the next step; zero in the first step
  // This is the part of a weight's gradient that some blocks of samples contribute. The operand
  // names the slot of the weight.
  gradient_part,
};

// Describes the memory of a block. Its bytes are dense and channels-last: (N, D, H, W, C).
struct Buffer {
  std::string name;
  BufferRole role = BufferRole::activation;
  BufferElement element = BufferElement::fp32;
  // These global indices are held here, halo included. Flat buffers hold [0, elements) of w, and
  // running values hold their channels as w.
  Box box;
  std::int64_t bytes = 0;
  std::int64_t offset_bytes = 0;  // in the arena; arena roles only
  // The buffer lives from the first to the last of these operations. Both are -1 where no operation
  // uses the buffer, and for parameter arenas.
  OperationIndex first_use;
  OperationIndex last_use;
};

// Says what a parameter tensor is to its layer. Batch norms have a scale and a shift.
enum class ParameterRole { weight, bias, scale, shift };
std::string_view to_text(ParameterRole role);

// Describes this rank's part of one parameter tensor. Slots are in the order in which
// backpropagation completes their gradients, so that a bucket is a contiguous range of slots.
struct ParameterSlot {
  LayerIndex layer;
  ParameterRole role = ParameterRole::weight;
  Shape shape;                // of the whole tensor: weight_shape(); others: (1, 1, 1, 1, channels)
  Box box;                    // the part that this rank has, in global indices
  std::int64_t elements = 0;  // of the box
  KernelSpec forward;         // of the convolution that owns the weight
};

using ParameterSlots = IndexedVector<SlotIndex, ParameterSlot>;

// Holds slots whose gradients are summed together, over the ranks that have equal parts of the
// parameters.
struct GradientRange {
  SlotIndex first_slot;
  SlotIndex last_slot;       // inclusive
  RankGroup group;           // over which the gradients are summed; includes this rank
  bool ends_bucket = false;  // the next range belongs to another bucket
};

// An operand views a block of a buffer, or a range of slots of a parameter arena.
struct Operand {
  BufferIndex buffer;
  Box box;  // global indices of the block; for slots, [0, elements without padding) of w
  SlotIndex first_slot;  // inclusive; -1 where the operand names no slot
  SlotIndex last_slot;   // inclusive
  // The elements of these slots, padding included, are cut into `shards`, and the operand is the
  // one numbered `shard` (planner/tensor/shard.hpp). `box` is then a whole shard.
  int shards = 1;
  int shard = 0;
  bool written = false;
};

// Returns the operand as one that the operation writes.
constexpr Operand as_written(Operand operand) {
  operand.written = true;
  return operand;
}

// Runs a kernel on local blocks.
struct KernelOperation {
  KernelSpec spec;
  KernelConstants constants;
  std::string implementation{};   // the one that was profiled; empty: the backend chooses
  std::vector<Operand> operands;  // in the order of planner/kernel/kernel_kinds.cpp
};

// Moves blocks between ranks for a halo exchange, a shuffle, a concat or a slice, and back in
// backpropagation. It also gathers and scatters channels, and hands states of a chain from stage to
// stage.
struct TransferOperation {
  BufferIndex source;       // -1: nothing to send
  BufferIndex destination;  // -1: nothing to receive; may be the source
  TransferList list;
  std::shared_ptr<const TransferRule> rule{};  // makes the lists of all ranks; may be left out
  // Channel 0 of the boxes in the list is this channel of the source and of the destination. In a
  // concat, the moved tensor begins there. It is below 0 where a slice begins later than its input.
  std::int64_t source_channel = 0;
  std::int64_t destination_channel = 0;
  bool accumulate = false;  // add what is received, in the order of the list
  bool zero_first = false;  // clear the destination before
  bool of_sums = false;     // moves parts of sums over channels to their owners, or back
  int tag = 0;              // equal on all ranks; each transfer of a schedule has another
};

// Sums over `group` in place, or does one half of such a sum.
struct CollectiveOperation {
  CollectiveKind kind = CollectiveKind::allreduce;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
  int ranks_per_node = 1;  // in the group, for `hierarchical` (exchange_rounds.hpp); else 1
  RankGroup group;         // includes this rank
  Operand operand;         // what is summed
  ElementType element = ElementType::fp32;  // of the operand
  std::int64_t elements = 0;                // of the operand, without padding
};

// Loads the next samples and labels of this rank's block.
struct LoadOperation {
  BufferIndex data;
  std::vector<BufferIndex> labels;  // for all losses, no two for one block
};

// Says what an operation does, and with which buffers.
using OperationBody =
    std::variant<KernelOperation, TransferOperation, CollectiveOperation, LoadOperation>;

// Holds one step of a schedule.
struct Operation {
  std::string id;  // names the operation alike on all ranks that have it; nothing parses it
  OperationLabel label{};
  // Prices count the operation to this layer: the first layer of a fused unit, or the layer that
  // completes a bucket.
  LayerIndex layer;
  Stream stream = Stream::compute;
  // The kernels of one lane run in order, and the lanes of a rank run at the same time. Only
  // kernels of concurrent groups of layers have a lane other than 0.
  int lane = 0;
  std::vector<OperationIndex> depends_on;  // earlier in the list
  OperationBody body;
};

// Describes the residual of a C-point on the finest level of a chain: the state that the layer
// before the point makes, less the state of the point.
struct PointResidual {
  int cycles = 0;         // number of completed cycles
  bool last = false;      // no cycle of the chain follows
  bool backward = false;  // of the error signals, not of the states
  Operand operand;        // the block that holds the residual; kept to the end of the step
};

// True for transfers and collectives, which wait for other ranks.
bool is_communication(const Operation& operation);
// True for kernels that update parameters. All gradients are known before the first of them.
bool is_update(const Operation& operation);

// Holds the operations of one rank with all that they refer to.
struct Schedule {
  int rank = 0;
  int ranks = 1;  // of the program
  int lanes = 1;  // lanes of operations are below this number
  IndexedVector<BufferIndex, Buffer> buffers;
  ParameterSlots slots;
  IndexedVector<OperationIndex, Operation> operations;  // a valid order of execution
  std::vector<GradientRange> gradient_ranges;  // all slots, in order; none without gradients
  // True where a rank has only its shards of momentum and, after a step, only its shards of the
  // weights and gradient sums. In every range, the shard's number is the rank's place in the group.
  // The next step gathers the weights first.
  bool sharded_update = false;
  int optimizer_state_bytes = 0;  // as in Plan
  BufferIndex weights;            // the arena of parameters, with all slots
  BufferIndex gradients;          // of the parameters, with all slots; -1 in inference
  BufferIndex momentum;           // of all slots, or of this rank's shards; -1 in inference
  BufferIndex weight_copies;      // -1 where convolutions read the weights themselves
  BufferIndex data;               // the samples
  Box data_box;  // the samples that are loaded: this rank's block, perhaps with its halo
  // This convolution alone reads the samples, and every rank reads them where they were loaded. It
  // is -1 where other layers read them, or other ranks need parts that are not loaded there.
  LayerIndex data_reader;
  BufferIndex labels;               // for the main loss
  std::vector<BufferIndex> losses;  // weighted, the main one last; the step's loss is their sum
  // Holds this rank's block of the output of each layer. Its buffer is -1 where the layer does not
  // run, or is fused with the next.
  IndexedVector<LayerIndex, Operand> outputs;
  IndexedVector<LayerIndex, BufferIndex> running_mean;      // -1 where not a batch norm
  IndexedVector<LayerIndex, BufferIndex> running_variance;  // -1 where not a batch norm
  std::int64_t arena_bytes = 0;          // of the memory that buffers share; see place_buffers()
  std::vector<PointResidual> residuals;  // none unless LoweringRequest::residuals asked for them
};

// Return the box that a transfer's source or destination holds, in the indices of its list. The box
// is empty where the transfer has no such buffer.
Box source_box(const Schedule& schedule, const TransferOperation& transfer);
Box destination_box(const Schedule& schedule, const TransferOperation& transfer);

// `training` is one training step. `inference` is the forward pass alone, with running values in
// batch norms, for evaluation on test data and for outputs. The input of the main loss stays in
// memory, and the loss leaves probabilities or differences in outputs[loss_layer]. Layers that only
// auxiliary losses need have parameters, but do not run.
enum class Pass { training, inference };

// Says what a schedule is for. `executable` schedules run. In a `timed` schedule, operations name
// the operations that they wait for only if streams overlap or there are lanes. In a `priced`
// schedule, operations name them only if there are lanes. Its buffers have no places: offsets and
// arena_bytes stay 0, and no operation waits for another's memory. Prices of single operations need
// no places, and placing takes most of the time of lowering a long network.
enum class Detail { executable, timed, priced };

// Says which schedule of a plan is wanted.
struct LoweringRequest {
  Pass pass = Pass::training;
  Detail detail = Detail::executable;
  // If true, the step also computes the residuals of all chains run by multigrid, before every
  // coarse correction and at the end. Two kinds of points have none. One is a point before which a
  // coarse step passes layers of several stages. The other is the last point, if F-relaxation
  // begins with states of the previous step, because its state was not kept.
  bool residuals = false;
};

// Lowers `plan` for one rank. No communication takes place, and the schedule does not refer to the
// plan. @throws InputError, without a file, when a size overflows, or when a layer cannot gather
// its input as the plan says
// @pre validate(plan) holds; 0 <= rank < plan.ranks. The next two functions need and throw the same
Schedule lower(const Plan& plan, int rank, const LoweringRequest& request = {});
// Lowers for several ranks on all cores, and computes only once what they share. Returns the
// schedules in the order of `ranks`.
std::vector<Schedule> lower(const Plan& plan,
                            std::span<const int> ranks,
                            const LoweringRequest& request = {});
// Lowers for several ranks as above, and hands each schedule to `take` as soon as it is complete,
// with its place among `ranks`. So a caller that keeps little of each schedule needs memory for few
// schedules at a time. Several threads call `take` at the same time, in any order of places. An
// exception of `take` ends the lowering and is thrown again.
void lower_each(const Plan& plan,
                std::span<const int> ranks,
                const LoweringRequest& request,
                const std::function<void(std::size_t, Schedule)>& take);
// Does so for the first `first` ranks, and for the others only if `goes_on()` is true after the
// first ones. Returns true if all were lowered. @pre first <= ranks.size()
bool lower_each_while(const Plan& plan,
                      std::span<const int> ranks,
                      std::size_t first,
                      const LoweringRequest& request,
                      const std::function<void(std::size_t, Schedule)>& take,
                      const std::function<bool()>& goes_on);

}  // namespace cnnplan
