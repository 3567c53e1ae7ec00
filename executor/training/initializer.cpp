// First weights by counter-based draws.
#include "executor/training/initializer.hpp"

#include <cmath>
#include <cstddef>
#include <variant>

#include "executor/backend/random.hpp"

namespace cnnplan {
namespace {

double fan_in(const ParameterSlot& slot) {
  return static_cast<double>(slot.elements) / static_cast<double>(slot.shape[Dim::n]);
}

std::vector<double> he_normal(const ParameterSlot& slot, std::uint64_t key) {
  const double deviation = std::sqrt(2.0 / fan_in(slot));
  std::vector<double> values(static_cast<std::size_t>(slot.elements));
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const auto [first, second] = random_normal_pair(key, i / 2);
    values[i] = deviation * first;
    if (i + 1 < values.size()) values[i + 1] = deviation * second;
  }
  return values;
}

std::vector<double> uniform(const ParameterSlot& slot, std::uint64_t key) {
  const double bound = 1.0 / std::sqrt(fan_in(slot));
  std::vector<double> values(static_cast<std::size_t>(slot.elements));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = bound * (2.0 * random_uniform(key, i) - 1.0);
  }
  return values;
}

std::vector<double> initial_weight(const ParameterSlot& slot,
                                   const Network& network,
                                   std::uint64_t seed) {
  const std::uint64_t key = random_key(
      {.seed = seed, .use = RandomUse::weights, .stream = static_cast<std::uint64_t>(slot.layer)});
  const bool connected =
      std::holds_alternative<FullyConnected>(network.layer(slot.layer).parameters);
  return connected ? uniform(slot, key) : he_normal(slot, key);
}

}  // namespace

std::vector<double> initial_values(const ParameterSlot& slot,
                                   const Network& network,
                                   std::uint64_t seed) {
  const auto elements = static_cast<std::size_t>(slot.elements);
  switch (slot.role) {
    case ParameterRole::weight:
      return initial_weight(slot, network, seed);
    case ParameterRole::scale:
      return std::vector<double>(elements, 1.0);
    case ParameterRole::bias:
    case ParameterRole::shift:
      break;
  }
  return std::vector<double>(elements, 0.0);
}

}  // namespace cnnplan
