// Reads and writes the list of gradient checks of a training.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {

// Files may hold these numbers of steps, samples and checkpoints. No training reaches the limit.
inline constexpr IntegerRange step_range{0, std::int64_t{1} << 60};

// Reads "gradient_checks" of a document. The list is empty where the key is missing.
// @throws InputError
std::vector<GradientCheck> read_gradient_checks(const JsonReader& root);
// Returns the value of the key "gradient_checks".
nlohmann::ordered_json to_ordered_json(const std::vector<GradientCheck>& checks);

}  // namespace cnnplan
