// Reads and writes the part, layer and level of an operation in plan and run files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Reads the keys "layer", "part" and "level" of an operation. `schema` is the number of the file.
// In /1, all three keys may be missing. Since /2, the part is required, and the layer unless the
// part serves a bucket.
// @throws InputError
OperationPlace read_operation_place(const JsonReader& reader, int schema);
void add_operation_place(const OperationPlace& place, nlohmann::ordered_json& operation);

}  // namespace cnnplan
