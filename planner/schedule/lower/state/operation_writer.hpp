// Appends the buffers and the operations of one rank to its schedule.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/sample_blocks.hpp"
#include "planner/schedule/operation_label.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {

// Writes the schedule of one rank. It knows the rules that hold for every kernel, transfer and
// collective, such as lanes, blocks of samples and tags.
class OperationWriter {
 public:
  // Keeps a reference to the context.
  explicit OperationWriter(const LoweringContext& context);

  ScheduleBuilder& builder() { return builder_; }
  Schedule& schedule() { return builder_.schedule(); }

  // Adds a buffer in the element of activations.
  BufferIndex add_block(std::string name, BufferRole role, const Box& box);
  // Adds a block for an error signal, and returns it as an operand that is read.
  Operand add_error_signal(std::string name, const Box& box);
  // Returns an empty operand that stands for blocks of other ranks. Its buffer has no bytes.
  Operand absent_operand();

  // Adds a kernel of a unit, with the constants of the unit. A rank without a part of the unit has
  // no kernel.
  void kernel(const Unit& unit,
              LabelledId named,
              const KernelSpec& spec,
              std::vector<Operand> operands);
  // Adds a kernel that is named by its phase.
  void kernel(const Unit& unit, const KernelSpec& spec, std::vector<Operand> operands);
  // Adds a kernel that belongs to `layer` of the unit: one for each block of samples, if the plan
  // has such blocks and the kernel may be cut (sample_blocks_of).
  void kernel(const Unit& unit, LayerIndex layer, LabelledId named, KernelOperation&& operation);
  // Adds a kernel for all samples of its operands, in the current lane.
  void whole_kernel(LayerIndex layer, LabelledId named, KernelOperation&& operation);
  // Adds a transfer with the lists of `exchange`, unless this rank exchanges and clears nothing.
  // Each call takes the next tag. So every rank must call it for all transfers of a plan in the
  // same order, even for those in which it takes no part.
  void transfer(const Unit& unit, LabelledId named, TransferOperation transfer, Exchange exchange);
  // Adds a collective, unless its group is one rank. Sets ranks_per_node of a hierarchical one.
  void collective(LabelledId named, LayerIndex layer, Stream stream, CollectiveOperation operation);

  // From begin_lanes() to end_lanes(), kernels are added to the lane that take_lane() chose last,
  // and `concurrency` lanes run at the same time. After begin_wave(), lanes may use the memory that
  // the lanes before it used.
  void begin_lanes(int concurrency);
  void begin_wave();
  void take_lane(int lane) { lane_ = lane; }
  void end_lanes();

 private:
  const LoweringContext& context_;
  ScheduleBuilder builder_;
  GradientParts gradient_parts_;
  BufferIndex absent_;
  int lane_ = 0;
  int concurrency_ = 1;
  int next_tag_ = 0;
};

// Returns `algorithm`, or `ring` where `hierarchical` would sum replicas of a layer from `first` to
// `last` in different orders.
AllreduceAlgorithm allreduce_for_replicas(const Plan& plan,
                                          AllreduceAlgorithm algorithm,
                                          LayerIndex first,
                                          LayerIndex last);

}  // namespace cnnplan
