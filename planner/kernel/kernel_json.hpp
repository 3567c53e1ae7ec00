// Reads and writes the keys of a kernel in profile files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// @throws InputError for unknown keys, values out of range, and a phase that the kind does not have
KernelSpec kernel_from_json(const JsonReader& reader);
// Writes kind, phase, shapes, precision and algorithm, and all other fields that differ from the
// default.
nlohmann::ordered_json to_ordered_json(const KernelSpec& spec);

}  // namespace cnnplan
