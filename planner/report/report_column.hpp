// Says where reports count an operation: in the row of its layer or group, and in the column of its
// part.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Names the columns of tables of times. Without a comment, a column has the operations of the part
// of its name (OperationPart).
enum class ReportColumn {
  forward,
  backward_data,
  backward_filter,
  halo,
  channels,  // allgather and reduce_scatter between ranks that have different channels
  shuffle,
  copy,
  statistics,
  allreduce,  // of statistics and losses
  other,      // all parts without a column
};
inline constexpr std::array all_report_columns{ReportColumn::forward,
                                               ReportColumn::backward_data,
                                               ReportColumn::backward_filter,
                                               ReportColumn::halo,
                                               ReportColumn::channels,
                                               ReportColumn::shuffle,
                                               ReportColumn::copy,
                                               ReportColumn::statistics,
                                               ReportColumn::allreduce,
                                               ReportColumn::other};
// Returns the title of the column.
std::string_view to_text(ReportColumn column);

// Returns the column in which the times of a part are added up.
ReportColumn column_of(OperationPart part);
// Returns what the operation does in the step.
// @pre the operation has a part: with_places completes plans of schema /1
OperationPart part_of(const PredictedOperation& operation);
// True for parts that run kernels. Other parts load, copy, send or sum data by the figures of the
// platform.
bool runs_kernels(OperationPart part);
// Returns the row of an operation: its layer. An operation of a gradient bucket counts in the row
// "sgd" if it is an update, else in "reduce". @pre as part_of()
std::string group_of(const PredictedOperation& operation);
// Returns the row of an operation in this place. @pre the place has a part
std::string group_of(const OperationPlace& place);

}  // namespace cnnplan
