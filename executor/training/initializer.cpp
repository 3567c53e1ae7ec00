// He initialisation with counter-based draws.
#include "executor/training/initializer.hpp"

#include <cmath>
#include <cstddef>

#include "executor/backend/random.hpp"

namespace cnnplan {
namespace {

std::vector<double> he_normal(const ParameterSlot& slot, std::uint64_t seed) {
  const auto filters = static_cast<double>(slot.shape[Dim::n]);
  const double fan_in = static_cast<double>(slot.elements) / filters;
  const double deviation = std::sqrt(2.0 / fan_in);
  const std::uint64_t key = random_key(
      {.seed = seed, .use = RandomUse::weights, .stream = static_cast<std::uint64_t>(slot.layer)});
  std::vector<double> values(static_cast<std::size_t>(slot.elements));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = deviation * random_normal(key, i);
  return values;
}

}  // namespace

std::vector<double> initial_values(const ParameterSlot& slot, std::uint64_t seed) {
  const auto elements = static_cast<std::size_t>(slot.elements);
  switch (slot.role) {
    case ParameterRole::weight:
      return he_normal(slot, seed);
    case ParameterRole::scale:
      return std::vector<double>(elements, 1.0);
    case ParameterRole::bias:
    case ParameterRole::shift:
      break;
  }
  return std::vector<double>(elements, 0.0);
}

}  // namespace cnnplan
