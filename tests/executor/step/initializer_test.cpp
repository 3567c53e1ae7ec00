// Tests that first values depend on seed, layer and element, and have the right moments.
#include "executor/step/initializer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Returns a network of input, convolution (layer 1), convolution (2), fully connected layer (3) and
// loss.
Network network() {
  Convolution convolution{.filters = 32};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  return Network("net",
                 {{"input", {}, Input{.channels = 32, .size = {1, 8, 8}}},
                  {"a", {"input"}, convolution},
                  {"b", {"a"}, convolution},
                  {"fc", {"b"}, FullyConnected{.outputs = 10}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

ParameterSlot slot_of(LayerIndex layer, ParameterRole role, const Shape& shape) {
  return {.layer = layer,
          .role = role,
          .shape = shape,
          .box = whole(shape),
          .elements = volume(shape),
          .forward = {}};
}

const Shape filters{{32, 32, 1, 3, 3}};
const Shape connected{{10, 32, 1, 8, 8}};

std::vector<double> initial_values(const ParameterSlot& slot,
                                   const Network& network,
                                   std::uint64_t seed) {
  return initial_values(slot, slot.box, network, seed);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
         static_cast<double>(values.size());
}

TEST_CASE("initial_values: weights depend on seed and layer only") {
  const ParameterSlot slot = slot_of(LayerIndex(1), ParameterRole::weight, filters);
  ParameterSlot split = slot;
  split.forward.in = {{1, 32, 1, 3, 8}};
  split.forward.bias = true;
  const std::vector<double> values = initial_values(slot, network(), 7);
  CHECK(initial_values(split, network(), 7) == values);
  CHECK(initial_values(slot, network(), 8) != values);
  CHECK(initial_values(slot_of(LayerIndex(2), ParameterRole::weight, filters), network(), 7) !=
        values);
}

TEST_CASE("initial_values: a larger tensor begins with the same draws") {
  const ParameterSlot small = slot_of(LayerIndex(1), ParameterRole::weight, {{3, 32, 1, 3, 3}});
  const std::vector<double> all =
      initial_values(slot_of(LayerIndex(1), ParameterRole::weight, filters), network(), 7);
  const std::vector<double> first = initial_values(small, network(), 7);
  CHECK(std::equal(first.begin(), first.end(), all.begin()));
}

TEST_CASE("initial_values: slices have the values of the whole, also where a pair of draws ends") {
  const ParameterSlot slot = slot_of(LayerIndex(2), ParameterRole::weight, {{6, 5, 1, 3, 3}});
  const std::vector<double> all = initial_values(slot, network(), 7);
  std::vector<double> joined;
  for (const Range filters : {Range{0, 1}, Range{1, 4}, Range{4, 6}}) {
    Box slice = slot.box;
    slice[Dim::n] = filters;
    const std::vector<double> values = initial_values(slot, slice, network(), 7);
    joined.insert(joined.end(), values.begin(), values.end());
  }
  CHECK(joined == all);
}

TEST_CASE("initial_values: convolutions are He-normal") {
  const std::vector<double> values =
      initial_values(slot_of(LayerIndex(1), ParameterRole::weight, filters), network(), 7);
  const double variance = 2.0 / (32 * 9);
  CHECK(std::abs(mean_of(values)) < 5.0 * std::sqrt(variance / 9216.0));
  CHECK(std::abs(variance_of(values) / variance - 1.0) < 0.08);
  const auto beyond = std::count_if(values.begin(), values.end(), [&](double value) {
    return std::abs(value) > 2.0 * std::sqrt(variance);
  });
  constexpr double normal_tail = 0.0455;
  CHECK(std::abs(static_cast<double>(beyond) / 9216.0 - normal_tail) < 0.01);
}

TEST_CASE("initial_values: fully connected layers are uniform in 1 / sqrt(fan_in)") {
  const std::vector<double> values =
      initial_values(slot_of(LayerIndex(3), ParameterRole::weight, connected), network(), 7);
  const double bound = 1.0 / std::sqrt(32 * 64.0);
  CHECK(*std::max_element(values.begin(), values.end()) < bound);
  CHECK(*std::min_element(values.begin(), values.end()) >= -bound);
  CHECK(std::abs(variance_of(values) / (bound * bound / 3.0) - 1.0) < 0.05);
}

TEST_CASE("initial_values: bias and shift are 0, scale is 1") {
  const Shape channels{{1, 1, 1, 1, 32}};
  const std::vector<double> zeros(32, 0.0);
  CHECK(initial_values(slot_of(LayerIndex(1), ParameterRole::bias, channels), network(), 7) ==
        zeros);
  CHECK(initial_values(slot_of(LayerIndex(1), ParameterRole::shift, channels), network(), 7) ==
        zeros);
  CHECK(initial_values(slot_of(LayerIndex(1), ParameterRole::scale, channels), network(), 7) ==
        std::vector<double>(32, 1.0));
}

}  // namespace
}  // namespace cnnplan
