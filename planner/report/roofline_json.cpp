// Writes sums, and kernels with the fields that profiles have.
#include "planner/report/roofline_json.hpp"

#include "planner/kernel/kernel_json.hpp"
#include "planner/plan/operation_place_json.hpp"
#include "planner/report/roofline_rows.hpp"

namespace cnnplan {
namespace {

OrderedJson sums_json(const Roofline& roofline) {
  return {{"rank", roofline.rank},
          {"source", roofline.roof.source},
          {"bytes_per_s", roofline.roof.bytes_per_s},
          {"flops_per_s", roofline.roof.flops_per_s},
          {"bound_s", roofline.bound_s()},
          {"predicted_s", roofline.kernels_s()},
          {"memory_s", roofline.kernels_s(BoundKind::memory)},
          {"arithmetic_s", roofline.kernels_s(BoundKind::arithmetic)}};
}

OrderedJson kernel_json(const RooflineKernel& kernel) {
  OrderedJson entry{{"operation", kernel.operation}};
  add_operation_place(kernel.place, entry);
  entry["kernel"] = to_ordered_json(kernel.spec);
  entry["bytes"] = kernel.bound.bytes;
  entry["flops"] = kernel.bound.flops;
  entry["bound"] = to_text(kernel.bound.kind());
  entry["bound_s"] = kernel.bound.seconds();
  entry["saving"] = kernel.bound.saving;
  entry["predicted_s"] = kernel.seconds;
  entry["estimated"] = kernel.estimated;
  return entry;
}

OrderedJson row_json(const RooflineRow& row) {
  return {{"name", row.first},
          {"part", to_text(row.part)},
          {"kernels", row.kernels},
          {"bytes", row.bytes},
          {"flops", row.flops},
          {"bound", to_text(row.kind)},
          {"bound_s", row.bound_s},
          {"below_bound", row.is_below_bound()},
          {"saving", row.saving},
          {"predicted_s", row.seconds},
          {"estimated", row.estimated}};
}

}  // namespace

OrderedJson to_json(const Roofline& roofline) {
  OrderedJson document = sums_json(roofline);
  document["kernels"] = OrderedJson::array();
  for (const RooflineKernel& kernel : roofline.kernels) {
    document["kernels"].push_back(kernel_json(kernel));
  }
  return document;
}

OrderedJson to_json_by_row(const Roofline& roofline) {
  OrderedJson document = sums_json(roofline);
  document["rows"] = OrderedJson::array();
  for (const RooflineRow& row : rows_of(roofline)) document["rows"].push_back(row_json(row));
  return document;
}

}  // namespace cnnplan
