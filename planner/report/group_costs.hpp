// Adds up predicted times by layer, and by group for operations without a layer.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/report/report_column.hpp"

namespace cnnplan {

// Holds the predicted times of one layer, or of a group of operations without a layer.
struct GroupCost {
  std::array<double, all_report_columns.size()> columns_s{};  // by ReportColumn
  double total_s = 0.0;                                       // the sum of all columns
  double critical_s = 0.0;                                    // on the critical path of the step
  bool estimated = false;  // the times of some operations are estimates

  void add(const PredictedOperation& operation) {
    const ReportColumn column = column_of(part_of(operation));
    columns_s[static_cast<std::size_t>(column)] += operation.predicted_s;
    total_s += operation.predicted_s;
    critical_s += operation.critical_s;
    estimated = estimated || operation.estimated;
  }
};

// Holds the predicted times of all operations of a plan.
struct GroupCosts {
  std::map<std::string, GroupCost> costs;  // by the name of the layer or group (group_of)
  std::vector<std::string> without_layer;  // in the order of the schedule

  explicit GroupCosts(const Plan& plan) {
    for (const PredictedOperation& operation : plan.prediction.operations) {
      const std::string group = group_of(operation);
      const auto [cost, is_new] = costs.try_emplace(group);
      cost->second.add(operation);
      if (is_new && !plan.network.index_of(group)) without_layer.push_back(group);
    }
  }
};

}  // namespace cnnplan
