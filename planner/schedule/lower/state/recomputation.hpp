// Computes outputs again that are not kept for backpropagation, when it first reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"
#include "planner/schedule/lower/state/parameter_layout.hpp"
#include "planner/schedule/lower/state/tensor_table.hpp"

namespace cnnplan {

// Gives backpropagation the outputs and inputs of the forward pass, whether they were kept or not.
class Recomputation {
 public:
  // Keeps references to all arguments.
  Recomputation(const LoweringContext& context,
                OperationWriter& writer,
                TensorTable& tensors,
                const ParameterLayout& parameters);

  // Both functions add the kernels and transfers that compute an output again, when an output that
  // was not kept is first read.

  // Returns the output of the unit that ends with `layer`, as backpropagation reads it.
  Operand output(LayerIndex layer);
  // Returns an input of a unit as backpropagation reads it, with its halo where the unit needs one.
  Operand input(const Unit& unit, std::size_t input);

 private:
  Operand compute(const Unit& unit);

  const LoweringContext& context_;
  OperationWriter& writer_;
  TensorTable& tensors_;
  const ParameterLayout& parameters_;
  IndexedVector<LayerIndex, Operand> outputs_;  // buffer -1 where not computed yet
  IndexedVector<LayerIndex, std::vector<FetchedBlocks>> fetched_;
};

}  // namespace cnnplan
