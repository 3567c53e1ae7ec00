// Cuts a convolution's outputs along one dim, by the windows of the outputs at both ends.
#include "planner/schedule/blocks/interior.hpp"

#include <algorithm>

#include "planner/schedule/blocks/ownership.hpp"

namespace cnnplan {
namespace {

// Returns the outermost dim that is longer than one.
Dim dim_to_cut(const ConvolutionBlocks& blocks) {
  for (const Dim dim : {Dim::d, Dim::h}) {
    if (blocks.needed[dim].size() > 1 || blocks.outputs[dim].size() > 1) return dim;
  }
  return Dim::w;
}

bool are_equal_but_along(Dim dim, const Box& a, const Box& b) {
  return std::all_of(all_dims.begin(), all_dims.end(), [&](Dim other) {
    return other == dim || a[other] == b[other];
  });
}

// Cuts outputs of one convolution along one dim.
class Cut {
 public:
  // Keeps a reference.
  Cut(const Network& network, LayerIndex convolution, const ConvolutionBlocks& blocks)
      : blocks_(blocks),
        dim_(dim_to_cut(blocks)),
        axis_(static_cast<std::size_t>(dim_) - static_cast<std::size_t>(Dim::d)),
        window_(network.window_of(convolution).dims[axis_]),
        local_(local_window(network, convolution, blocks.outputs)),
        length_(network.output_shape(network.inputs_of(convolution)[0], 1)[dim_]) {}

  std::vector<OutputPart> parts() const {
    const Range all = blocks_.outputs[dim_];
    const Range interior = interior_of(all);
    if (!are_equal_but_along(dim_, blocks_.owned, blocks_.needed)) return {};
    if (interior.size() == 0 || interior == all) return {};
    std::vector<OutputPart> parts;
    add_parts(OutputPart::Place::interior, interior, parts);
    add_parts(OutputPart::Place::first_strip, {all.begin, interior.begin}, parts);
    add_parts(OutputPart::Place::last_strip, {interior.end, all.end}, parts);
    return parts;
  }

 private:
  void add_parts(OutputPart::Place place, Range outputs, std::vector<OutputPart>& parts) const {
    if (outputs.size() == 0) return;
    const Range samples = blocks_.outputs[Dim::n];
    for (std::int64_t sample = samples.begin; sample < samples.end; ++sample) {
      parts.push_back(part(outputs, sample));
      parts.back().place = place;
    }
  }

  WindowBlock needed_by(Range outputs) const { return window_block(outputs, length_, window_); }

  Range interior_of(Range outputs) const {
    const Range owned = blocks_.owned[dim_];
    const auto needed_by_one = [&](std::int64_t output) {
      return needed_by({output, output + 1}).input;
    };
    while (outputs.size() > 0 && needed_by_one(outputs.begin).begin < owned.begin) ++outputs.begin;
    while (outputs.size() > 0 && needed_by_one(outputs.end - 1).end > owned.end) --outputs.end;
    return outputs;
  }

  OutputPart part(Range outputs, std::int64_t sample) const {
    const WindowBlock block = needed_by(outputs);
    OutputPart part{.outputs = blocks_.outputs, .needed = blocks_.needed, .window = local_};
    part.outputs[Dim::n] = part.needed[Dim::n] = {sample, sample + 1};
    part.outputs[dim_] = outputs;
    part.needed[dim_] = block.input;
    part.window.dims[axis_].padding_begin = block.padding_begin;
    part.window.dims[axis_].padding_end = block.padding_end;
    return part;
  }

  const ConvolutionBlocks& blocks_;
  Dim dim_;
  std::size_t axis_;  // of windows
  WindowDim window_;  // along the dim, of the whole convolution
  Window local_;      // of the rank's block
  std::int64_t length_;
};

}  // namespace

std::vector<OutputPart> interior_and_strips(const Network& network,
                                            LayerIndex convolution,
                                            const ConvolutionBlocks& blocks) {
  if (is_empty(blocks.outputs) || is_empty(blocks.owned)) return {};
  return Cut(network, convolution, blocks).parts();
}

}  // namespace cnnplan
