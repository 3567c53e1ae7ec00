// Tests of planner/network/layer_signature: every property makes signatures differ.
#include "planner/network/layer_signature.hpp"

#include <functional>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

constexpr std::int64_t batch = 4;

Network enlarged_and_joined() {
  const WindowDim three{.kernel = 3, .padding_begin = 1, .padding_end = 1};
  return Network("enlarged",
                 {{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                  {"grouped",
                   {"data"},
                   Convolution{.filters = 6, .window = {{WindowDim{}, three, three}}, .groups = 2}},
                  {"nearest", {"grouped"}, Upsample{}},
                  {"linear", {"grouped"}, Upsample{.mode = UpsampleMode::linear}},
                  {"both", {"nearest", "linear"}, Concat{}},
                  {"loss", {"both"}, SoftmaxCrossEntropy{}}});
}

}  // namespace

TEST_CASE("LayerSignature: a property that differs makes signatures differ") {
  const std::vector<std::function<void(LayerSignature&)>> changes{
      [](LayerSignature& layer) { layer.traits.name = "other"; },
      [](LayerSignature& layer) { layer.traits.inputs.maximum = 2; },
      [](LayerSignature& layer) { layer.traits.has_window = true; },
      [](LayerSignature& layer) { layer.traits.is_transposed = true; },
      [](LayerSignature& layer) { layer.traits.resizes = true; },
      [](LayerSignature& layer) { layer.traits.rearranges = true; },
      [](LayerSignature& layer) { layer.traits.copies_inputs = true; },
      [](LayerSignature& layer) { layer.traits.mixes_channels = true; },
      [](LayerSignature& layer) { layer.traits.reads_input_again = true; },
      [](LayerSignature& layer) { layer.input[Dim::h] = 2; },
      [](LayerSignature& layer) { layer.output[Dim::n] = 2; },
      [](LayerSignature& layer) { layer.window.dims[2].dilation = 2; },
      [](LayerSignature& layer) { layer.upsample[1].mode = UpsampleMode::linear; },
      [](LayerSignature& layer) { layer.groups = 2; },
      [](LayerSignature& layer) { layer.first_channel = 2; }};
  std::vector<LayerSignature> signatures(1);
  for (const auto& change : changes) change(signatures.emplace_back());
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    for (std::size_t j = 0; j < signatures.size(); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK((signatures[i] == signatures[j]) == (i == j));
      CHECK((signatures[i] < signatures[j] || signatures[j] < signatures[i]) == (i != j));
    }
  }
}

TEST_CASE("signature_of: properties of the kind, the layer and its place in the network") {
  const Network network = enlarged_and_joined();
  const LayerSignature grouped = signature_of(network, LayerIndex(1), 0, batch);
  CHECK(grouped.traits == Convolution::traits);
  CHECK(grouped.input == Shape{{batch, 4, 1, 8, 8}});
  CHECK(grouped.output == Shape{{batch, 6, 1, 8, 8}});
  CHECK(grouped.window == network.window_of(LayerIndex(1)));
  CHECK(grouped.groups == 2);
  CHECK(signature_of(network, LayerIndex(2), 0, batch) !=
        signature_of(network, LayerIndex(3), 0, batch));
  CHECK(signature_of(network, LayerIndex(4), 0, batch).first_channel == 0);
  CHECK(signature_of(network, LayerIndex(4), 1, batch).first_channel == 6);
}

TEST_CASE("LayerSignature: the part along a dim says which inputs a block of outputs needs") {
  const Network network = enlarged_and_joined();
  const DimSignature rows = signature_of(network, LayerIndex(1), 0, batch).along(Dim::h);
  CHECK(rows.needed({2, 4}) == WindowBlock{.input = {1, 5}});
  CHECK(rows.needed({0, 4}) == WindowBlock{.input = {0, 5}, .padding_begin = 1});
  const DimSignature nearest = signature_of(network, LayerIndex(2), 0, batch).along(Dim::h);
  CHECK(nearest.needed({4, 8}).input == Range{2, 4});
  const DimSignature linear = signature_of(network, LayerIndex(3), 0, batch).along(Dim::h);
  CHECK(linear.needed({4, 8}).input == Range{1, 5});
  const DimSignature channels = signature_of(network, LayerIndex(4), 1, batch).along(Dim::c);
  CHECK(channels == DimSignature{.input_length = 6, .output_length = 12, .first = 6});
}

}  // namespace cnnplan::test
