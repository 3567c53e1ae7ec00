// Makes the document of a comparison as a JSON value, for documents that hold it.
#pragma once

#include "planner/json/json_writer.hpp"
#include "planner/report/compare.hpp"

namespace cnnplan {

// Returns the document that to_json(comparison) writes as text.
OrderedJson comparison_document(const Comparison& comparison);

}  // namespace cnnplan
