// Defines the layer kind `pointwise`: an element-wise operator that plans have and no program runs.
#pragma once

#include <string>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// An output follows from the elements at the same place of one or two inputs, or for a norm over
// channels (channel_norm.hpp) from all channels of its position. The second input may be a gate: it
// then has one position, and its channels apply to all positions. The work is an estimate from the
// bytes of inputs and outputs.
struct Pointwise {
  static constexpr LayerTraits traits{
      .name = "pointwise", .inputs = {1, 2}, .reads_input_again = true, .is_only_planned = true};

  std::string operation;  // the name of the operator in ONNX, such as "Sigmoid"
  auto operator<=>(const Pointwise&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.required("operator", &Pointwise::operation);
  }
};

// True for the shape of a gate of an image with the shape `image`: one position for many.
bool is_gate(const Shape& input, const Shape& image);
// Returns the shape of the first input.
// @throws InputError without an operator, for a norm over channels with two inputs, or where a
// second input neither has this shape nor is a gate
Shape sample_shape(const Pointwise& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
