// First weights by counter-based draws.
#include "executor/step/initializer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "executor/backend/random.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {
namespace {

double fan_in(const ParameterSlot& slot) {
  return static_cast<double>(volume(slot.shape)) / static_cast<double>(slot.shape[Dim::n]);
}

// Draws [first, first + count) of a sequence of normal numbers.
void add_normal(std::uint64_t key,
                std::int64_t first,
                std::int64_t count,
                double deviation,
                std::vector<double>& values) {
  for (std::int64_t i = first; i < first + count;) {
    const auto pair = random_normal_pair(key, i / 2);
    for (const std::int64_t end = std::min(i / 2 * 2 + 2, first + count); i < end; ++i) {
      values.push_back(deviation * pair[i % 2]);
    }
  }
}

void add_uniform(std::uint64_t key,
                 std::int64_t first,
                 std::int64_t count,
                 double bound,
                 std::vector<double>& values) {
  for (std::int64_t i = first; i < first + count; ++i) {
    const double number = random_uniform(key, i);
    values.push_back(bound * (2.0 * number - 1.0));
  }
}

std::vector<double> initial_weight(const ParameterSlot& slot,
                                   const Box& slice,
                                   const Network& network,
                                   std::uint64_t seed) {
  const std::uint64_t key = random_key(
      {.seed = seed, .use = RandomUse::weights, .stream = static_cast<std::uint64_t>(slot.layer)});
  const bool connected =
      std::holds_alternative<FullyConnected>(network.layer(slot.layer).parameters);
  const double scale = connected ? 1.0 / std::sqrt(fan_in(slot)) : std::sqrt(2.0 / fan_in(slot));
  std::vector<double> values;
  values.reserve(volume(slice));
  give_sign_of_progress();
  for_each_run(slot.shape, slice, [&](std::int64_t first, std::int64_t count) {
    (connected ? add_uniform : add_normal)(key, first, count, scale, values);
  });
  return values;
}

}  // namespace

std::vector<double> initial_values(const ParameterSlot& slot,
                                   const Box& slice,
                                   const Network& network,
                                   std::uint64_t seed) {
  switch (slot.role) {
    case ParameterRole::weight:
      return initial_weight(slot, slice, network, seed);
    case ParameterRole::scale:
      return std::vector<double>(volume(slice), 1.0);
    case ParameterRole::bias:
    case ParameterRole::shift:
      break;
  }
  return std::vector<double>(volume(slice), 0.0);
}

}  // namespace cnnplan
