// Asks the rules of the lowering for the blocks of all layers.
#include "planner/page/tensor_cuts.hpp"

#include <map>
#include <string>
#include <utility>

#include "planner/schedule/blocks/ownership.hpp"

namespace cnnplan {
namespace {

constexpr std::array<Axis, dim_count> axes_of_dims{Axis::n, Axis::c, Axis::d, Axis::h, Axis::w};

DimCuts cuts_of(const RankBoxes& boxes) {
  DimCuts cuts;
  for (std::size_t dim = 0; dim < dim_count; ++dim) {
    for (int i = 0; i < boxes.mesh().size(axes_of_dims[dim]); ++i) {
      cuts[dim].push_back(boxes.range(all_dims[dim], i));
    }
  }
  return cuts;
}

LayerCut cut_of(const Plan& plan, LayerIndex layer) {
  const RankBoxes owned = owned_blocks(plan, layer);
  const LayerPlan& own = plan.layers[layer];
  LayerCut cut{.mesh = own.mesh,
               .stage = own.stage,
               .shape = plan.network.output_shape(layer, plan.batch),
               .owned = cuts_of(owned),
               .inputs = {}};
  const std::vector<LayerIndex>& inputs = plan.network.inputs_of(layer);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const LayerSignature signature = signature_of(plan.network, layer, i, plan.batch);
    cut.inputs.push_back(
        {.shape = signature.input,
         .owner_mesh = plan.layers[inputs[i]].mesh,
         .owned = cuts_of(owned_blocks(plan, inputs[i])),
         .needed = cuts_of(needed_blocks(signature, owned, own.channel_algorithm))});
  }
  return cut;
}

// Returns a text that is equal for layers with equal cuts.
std::string key_of(const LayerCut& cut) {
  std::string key = to_text(cut.mesh) + ' ' + std::to_string(cut.stage) + ' ' + to_text(cut.shape);
  const auto add = [&](const DimCuts& cuts) {
    for (const std::vector<Range>& ranges : cuts) {
      for (const Range& range : ranges) {
        key += ' ' + std::to_string(range.begin) + '-' + std::to_string(range.end);
      }
      key += ';';
    }
  };
  add(cut.owned);
  for (const InputCut& input : cut.inputs) {
    key += to_text(input.shape) + ' ' + to_text(input.owner_mesh);
    add(input.owned);
    add(input.needed);
  }
  return key;
}

}  // namespace

TensorCuts tensor_cuts(const Plan& plan) {
  TensorCuts result;
  std::map<std::string, std::size_t> known;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    LayerCut cut = cut_of(plan, layer);
    const auto [entry, is_new] = known.try_emplace(key_of(cut), result.cuts.size());
    if (is_new) result.cuts.push_back(std::move(cut));
    result.of_layer.push_back(entry->second);
  }
  return result;
}

}  // namespace cnnplan
