// Makes the parts of the document of a report as JSON values.
#pragma once

#include "planner/json/json_writer.hpp"
#include "planner/page/report_data.hpp"

namespace cnnplan {

OrderedJson timeline_json(const Timeline& timeline, const Plan& plan);
OrderedJson plan_json(const ReportedPlan& reported);

}  // namespace cnnplan
