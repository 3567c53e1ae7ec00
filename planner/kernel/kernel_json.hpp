// Reads and writes the keys of a kernel in profile files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Reads an object of the list "kernels".
// @throws InputError for unknown or missing keys, values of another type or out of range, shapes
// whose volume overflows, and a phase that the kind does not have
KernelSpec kernel_from_json(const JsonReader& reader);
// Returns such an object. It has kind, phase, shapes, precision and algorithm, and all other fields
// that differ from the default.
nlohmann::ordered_json to_ordered_json(const KernelSpec& spec);

}  // namespace cnnplan
