// Holds the parts of one rank's lowering that the passes of all layers share.
#pragma once

#include "planner/schedule/lower/state/gradient_buckets.hpp"
#include "planner/schedule/lower/state/gradient_table.hpp"
#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"
#include "planner/schedule/lower/state/parameter_layout.hpp"
#include "planner/schedule/lower/state/recomputation.hpp"
#include "planner/schedule/lower/state/tensor_table.hpp"

namespace cnnplan {

// Refers to objects that live as long as the lowering of the rank.
struct LoweringState {
  const LoweringContext& context;
  OperationWriter& writer;
  TensorTable& tensors;
  ParameterLayout& parameters;
  Recomputation& recompute;
  GradientTable& gradients;
  GradientBuckets& buckets;
};

}  // namespace cnnplan
