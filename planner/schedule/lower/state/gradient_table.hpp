// Holds the gradients of one rank's tensors, as the units that read a tensor contribute them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

// Holds a gradient of a tensor that one of its readers computed, or a part of the gradient.
struct GradientContribution {
  Operand operand;
  bool shared = false;  // another unit reads this memory, too, so it must not be overwritten
};

// Holds the gradient of a unit's output: one operand, or two that the reader has to add.
struct GradientTerms {
  Operand dy;
  std::optional<Operand> second_dy;
  std::optional<Operand> sum;  // memory of a term that the sum may be written over
};

// Collects the contributions to each gradient, and adds the operations that sum them.
class GradientTable {
 public:
  // Keeps references to both arguments.
  GradientTable(const LoweringContext& context, OperationWriter& writer);

  // Brings a unit's gradient of its input, on the needed block, back to the owners of the input. It
  // adds a transfer where the gradient has to move.
  void contribute(const Unit& unit, std::size_t input, const GradientContribution& contribution);
  // Adds memory for the contributions of a unit that is not lowered to inputs that lowered units
  // make, so that their sums have all terms. It adds no operations.
  void contribute_nothing(const Unit& unit);
  // Returns the sum of all contributions to the gradient of a unit's output, on the owned block. It
  // adds a kernel for each sum. @pre all readers of the output have contributed
  Operand total(const Unit& unit);
  // Returns the last two terms of total(), and adds a kernel for each sum before it.
  // @pre all readers of the output have contributed
  GradientTerms last_terms(const Unit& unit);

 private:
  // Sums parts of the gradient in blocks_of_sums, and returns the gathered sums of the own block.
  Operand sum_and_gather(const Unit& unit,
                         std::size_t input,
                         const GradientContribution& contribution);
  // Returns the buffer for the gradients that slices contribute: one for all slices of a tensor.
  BufferIndex of_slices(LayerIndex target, const std::string& name);
  GradientContribution sum(const Unit& unit,
                           const std::array<GradientContribution, 2>& terms,
                           const std::string& suffix);
  // Returns the sum of the contributions up to `count`.
  GradientContribution sum_of_first(const Unit& unit, std::size_t count);
  bool is_reusable(const Unit& unit, const GradientContribution& term) const;
  bool is_dense(const Operand& term) const;

  const LoweringContext& context_;
  OperationWriter& writer_;
  IndexedVector<LayerIndex, std::vector<GradientContribution>> contributions_;
  IndexedVector<LayerIndex, BufferIndex> of_slices_;  // -1 where there is none
};

}  // namespace cnnplan
