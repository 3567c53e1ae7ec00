// Tests which layers can be split over channels, and into how many parts.
#include "planner/network/channel_split.hpp"

#include <set>
#include <string_view>

#include <doctest/doctest.h>

#include "planner/network/enumerators.hpp"

namespace cnnplan::test {
namespace {

using enum ChannelAlgorithm;

Network network_with(std::int64_t inputs, const Convolution& convolution) {
  return Network("split",
                 {{"data", {}, Input{.channels = inputs, .size = {1, 4, 4}}},
                  {"conv", {"data"}, convolution},
                  {"loss", {"conv"}, SoftmaxCrossEntropy{}}});
}

bool is_refused(std::int64_t inputs, std::int64_t filters, int parts, ChannelAlgorithm algorithm) {
  const Network network = network_with(inputs, {.filters = filters});
  return !channel_split_refusal(network, LayerIndex(1), parts, algorithm).empty();
}

}  // namespace

TEST_CASE("input_parts: one, all, or the largest factor up to the root") {
  for (const int parts : {1, 2, 3, 4, 6, 16}) {
    CHECK(input_parts(stationary_y, parts) == 1);
    CHECK(input_parts(stationary_x, parts) == parts);
  }
  CHECK(input_parts(stationary_w, 1) == 1);
  CHECK(input_parts(stationary_w, 2) == 1);
  CHECK(input_parts(stationary_w, 4) == 2);
  CHECK(input_parts(stationary_w, 6) == 2);
  CHECK(input_parts(stationary_w, 7) == 1);
  CHECK(input_parts(stationary_w, 8) == 2);
  CHECK(input_parts(stationary_w, 12) == 3);
  CHECK(input_parts(stationary_w, 16) == 4);
}

TEST_CASE("channel_split_refusal: both directions take two factors, and channels for all parts") {
  CHECK_FALSE(is_refused(2, 4, 4, stationary_w));
  CHECK(is_refused(1, 4, 4, stationary_w));
  CHECK(is_refused(2, 3, 4, stationary_w));
  for (const int prime : {2, 3, 5, 7}) CHECK(is_refused(16, 16, prime, stationary_w));
  CHECK_FALSE(is_refused(16, 16, 1, stationary_w));
  CHECK_FALSE(is_refused(1, 1, 4, stationary_y));
  CHECK_FALSE(is_refused(1, 1, 4, stationary_x));
  const Network grouped = network_with(8, {.filters = 8, .groups = 2});
  CHECK(channel_split_refusal(grouped, LayerIndex(1), 4, stationary_w) ==
        "stationary_y, since the convolution has groups");
}

TEST_CASE("ChannelAlgorithm: every one has its name") {
  std::set<std::string_view> names;
  for (const ChannelAlgorithm algorithm : Enumerators<ChannelAlgorithm>::all) {
    names.insert(to_text(algorithm));
  }
  CHECK(names == std::set<std::string_view>{"stationary_y", "stationary_x", "stationary_w"});
}

}  // namespace cnnplan::test
