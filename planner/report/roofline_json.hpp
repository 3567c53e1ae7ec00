// Writes the kernels of a step and their bounds as JSON.
#pragma once

#include "planner/json/json_writer.hpp"
#include "planner/plan/roofline.hpp"

namespace cnnplan {

// Returns the value of the key "roofline" of an explanation: the rates, the sums, and all kernels
// of one rank in the order of its schedule.
OrderedJson to_json(const Roofline& roofline);
// Returns the value with rows_of() as "rows" in place of the kernels, as the page of a report has
// it.
OrderedJson to_json_by_row(const Roofline& roofline);

}  // namespace cnnplan
