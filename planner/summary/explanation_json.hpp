// Makes the document of an explanation as a JSON value, for documents that hold it.
#pragma once

#include "planner/json/json_writer.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns the document that explanation_json() writes as text. @pre as explanation_json()
OrderedJson explanation_document(const Plan& plan);

}  // namespace cnnplan
