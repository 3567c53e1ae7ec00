// The list of gradient checks of a training.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {

// Above what steps and passes over data can come to.
inline constexpr IntegerRange step_range{0, std::int64_t{1} << 60};

// "gradient_checks" of a document; empty where it has none.
std::vector<GradientCheck> read_gradient_checks(const JsonReader& root);
nlohmann::ordered_json to_ordered_json(const std::vector<GradientCheck>& checks);

}  // namespace cnnplan
