// Kernel keys in profile files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

KernelSpec kernel_from_json(const JsonReader& reader);
// Kind, phase, shapes, precision, algorithm, and every other field that is not the default.
nlohmann::ordered_json to_ordered_json(const KernelSpec& spec);

}  // namespace cnnplan
