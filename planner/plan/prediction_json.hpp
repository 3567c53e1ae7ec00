// Reads and writes what a plan file says about the expected step.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Reads the value of the key "prediction". `schema` is the number in the plan's key "schema". Files
// name the layers of Prediction::rivals; `network` turns their names into indices.
// @throws InputError
Prediction prediction_from_json(const JsonReader& reader, int schema, const Network& network);
// Returns the value of the key "prediction".
nlohmann::ordered_json to_ordered_json(const Prediction& prediction, const Network& network);

}  // namespace cnnplan
