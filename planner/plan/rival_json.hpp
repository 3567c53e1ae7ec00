// Reads and writes the plans that a plan is compared with.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Reads the keys rivals, draws and reduced_gradients, each of which may be missing.
// @throws InputError
void read_rivals(const JsonReader& reader, const Network& network, Prediction& prediction);
// Adds these keys to the JSON of a prediction, each if its value is known.
void add_rivals(const Prediction& prediction, const Network& network, nlohmann::ordered_json& json);

}  // namespace cnnplan
