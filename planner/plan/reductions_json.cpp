// Reads and writes the exceptions for small sums of gradients.
#include "planner/plan/reductions_json.hpp"

#include <nlohmann/json.hpp>

#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr const char* small_key = "small_gradient_allreduces";
constexpr IntegerRange sized_range{.minimum = 0, .maximum = 64};
constexpr IntegerRange sized_bytes_range{.minimum = 1};

}  // namespace

std::vector<SizedAllreduce> read_small_allreduces(const JsonReader& reader) {
  std::vector<SizedAllreduce> sized;
  if (!reader.has(small_key)) return sized;
  for (const JsonReader& entry : reader.at(small_key).entries(sized_range)) {
    entry.allow_keys({"max_bytes", "algorithm"});
    sized.push_back({.max_bytes = entry.at("max_bytes").integer(sized_bytes_range),
                     .algorithm = entry.at("algorithm").enumerator<AllreduceAlgorithm>()});
  }
  return sized;
}

void add_small_allreduces(const std::vector<SizedAllreduce>& allreduces,
                          nlohmann::ordered_json& json) {
  for (const SizedAllreduce& sized : allreduces) {
    json[small_key].push_back(
        {{"max_bytes", sized.max_bytes}, {"algorithm", to_text(sized.algorithm)}});
  }
}

}  // namespace cnnplan
