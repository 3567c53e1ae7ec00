// Reads and writes the rates of a device in platform files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/kernel/kernel_rates.hpp"

namespace cnnplan {

// Reads the value of the key "kernels". @throws InputError
KernelRates kernel_rates_from_json(const JsonReader& reader);
// Returns the value of the key "kernels".
nlohmann::ordered_json to_ordered_json(const KernelRates& rates);

}  // namespace cnnplan
