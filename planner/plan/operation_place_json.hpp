// Reads and writes the part, layer and level of an operation in plan and run files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Reads the keys "part", "layer" and "level" of an operation. `schema` is the number in the file's
// key "schema". Only files of schema /1 may lack the part. With a part, the layer is required, or
// refused if the part serves a bucket. The level may be missing.
// @throws InputError for a missing or refused key, and for a value out of range
OperationPlace read_operation_place(const JsonReader& reader, int schema);
// Adds these keys to the object of an operation. Values that are missing in `place` are left out.
void add_operation_place(const OperationPlace& place, nlohmann::ordered_json& operation);

}  // namespace cnnplan
