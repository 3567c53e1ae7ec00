// What the planner expects of a plan, in plan files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

Prediction prediction_from_json(const JsonReader& reader);
nlohmann::ordered_json to_ordered_json(const Prediction& prediction);

}  // namespace cnnplan
