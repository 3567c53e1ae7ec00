// Reads and writes the key "trace" of run files.
#pragma once

#include <cstddef>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/run/measured_steps.hpp"

namespace cnnplan {

// Reads "trace" of a run that lists `operations` operations and has `ranks` ranks. Returns nothing
// where the key is missing.
// @throws InputError, also for lists that do not belong together
std::optional<MeasuredSteps> read_measured_steps(const JsonReader& root,
                                                 std::size_t operations,
                                                 int ranks);
nlohmann::ordered_json to_ordered_json(const MeasuredSteps& steps);

}  // namespace cnnplan
