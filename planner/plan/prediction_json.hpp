// Reads and writes what a plan file says about the expected step.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Reads a prediction. `schema` is the number of the plan file. @throws InputError
Prediction prediction_from_json(const JsonReader& reader, int schema);
nlohmann::ordered_json to_ordered_json(const Prediction& prediction);

}  // namespace cnnplan
