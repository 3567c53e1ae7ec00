// Prints findings for a person: a sentence with the answer, then a table.
#pragma once

#include <string>
#include <vector>

#include "planner/base/terminal.hpp"
#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Returns how many findings have the state `missing`.
int missing_count(const std::vector<Finding>& findings);

// Returns a sentence such as "2 things are missing: SimGrid and ONNX." on one line.
std::string answer_of(const std::vector<Finding>& findings);

// Returns the answer and a table, in lines of at most `columns` columns. Only a remedy is not
// broken, since it is a command. A control character in a finding is shown as "?".
std::string to_text(const std::vector<Finding>& findings, std::size_t columns = usual_columns);

}  // namespace cnnplan
