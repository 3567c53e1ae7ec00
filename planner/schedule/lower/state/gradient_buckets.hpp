// Reduces buckets of gradients as backpropagation completes them, and updates their parameters
// after it.
#pragma once

#include <cstddef>

#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"
#include "planner/schedule/lower/state/parameter_layout.hpp"

namespace cnnplan {

// Adds the collectives and the update kernels of a rank's parameters.
class GradientBuckets {
 public:
  // Keeps references to all arguments.
  GradientBuckets(const LoweringContext& context,
                  OperationWriter& writer,
                  const ParameterLayout& parameters);

  // Gathers the weights of a sharded update, in the order in which the forward pass needs them. It
  // adds nothing for other updates and for inference.
  void gather_weights();
  // Call it when the gradients of a unit are complete, for the units in reverse order of execution.
  // It reduces the ranges that are complete then.
  void complete(const Unit& unit);
  // Adds the updates of all buckets. Call it once, after the backward passes of all units.
  void update_all();

 private:
  void reduce(std::size_t range);
  void exchange(const LabelledId& named,
                const GradientRange& range,
                CollectiveKind kind,
                BufferIndex arena);
  void update_before(std::size_t end);
  void update(const GradientRange& range);

  const LoweringContext& context_;
  OperationWriter& writer_;
  const ParameterLayout& parameters_;
  SlotIndex complete_slots_{0};  // slots before this one have complete gradients
  // Ranges before `reduced_` are reduced, and ranges before `updated_` are updated.
  std::size_t reduced_ = 0;
  std::size_t updated_ = 0;
  int update_count_ = 0;
};

}  // namespace cnnplan
