// Writes findings as JSON, and reads what other programs of the project wrote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Returns a document of configs/schemas/doctor.schema.json.
std::string to_json(const std::vector<Finding>& findings);

// Reads such a document. `source` names it in messages.
// @throws InputError for a text that is no such document
std::vector<Finding> parse_findings(std::string_view text, const std::string& source);

}  // namespace cnnplan
