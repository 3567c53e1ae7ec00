// Writes the fields of a summary under their names, and leaves out what the plan does not know.
#include "planner/summary/explanation_json.hpp"

#include "planner/report/group_costs.hpp"
#include "planner/summary/explanation.hpp"
#include "planner/summary/summary.hpp"

namespace cnnplan {
namespace {

OrderedJson to_json(const ComparedCost& compared) {
  return {
      {"of", to_text(compared.cost)}, {"plan_s", compared.plan_s}, {"rival_s", compared.rival_s}};
}

// A rival is an index of the list of rivals.
OrderedJson to_json(const Reason& reason) {
  OrderedJson entry{
      {"reason", to_text(reason.kind)}, {"rival", reason.rival}, {"saved", to_json(reason.saved)}};
  if (reason.paid) entry["paid"] = to_json(*reason.paid);
  entry["rest_s"] = reason.rest_s;
  entry["gradients"] = reason.gradients;
  entry["plan_gradients"] = reason.plan_gradients;
  entry["rival_gradients"] = reason.rival_gradients;
  return entry;
}

OrderedJson to_json(const Confidence& confidence) {
  OrderedJson wins = OrderedJson::array();
  for (const Wins& one : confidence.wins) {
    wins.push_back({{"rival", one.rival}, {"draws", one.draws}});
  }
  OrderedJson entry{{"draws", confidence.draws},
                    {"wins", wins},
                    {"closest", confidence.wins.at(confidence.closest).rival}};
  if (confidence.figure.empty()) return entry;
  entry["measure"] = confidence.measurement == Measurement::links ? "links" : "kernels";
  entry["figure"] = confidence.figure;
  entry["share"] = confidence.share;
  if (!confidence.layers.empty()) entry["layers"] = confidence.layers;
  return entry;
}

OrderedJson to_json(const std::vector<Rival>& rivals) {
  OrderedJson list = OrderedJson::array();
  for (const Rival& rival : rivals) {
    list.push_back({{"kind", to_text(rival.kind)},
                    {"plan", rival.plan},
                    {"ranks", rival.ranks},
                    {"step_s", rival.step_s},
                    {"memory_bytes", rival.memory_bytes},
                    {"fits", rival.fits}});
  }
  return list;
}

void add_summary(const Summary& summary, OrderedJson& document) {
  document["network"] = summary.network;
  document["ranks"] = summary.ranks;
  document["batch"] = summary.batch;
  document["precision"] = summary.precision;
  document["step_s"] = summary.step_s;
  document["low_s"] = summary.low_s;
  document["high_s"] = summary.high_s;
  document["samples_per_s"] = summary.samples_per_s;
  document["memory_bytes"] = summary.memory_bytes;
  document["available_bytes"] = summary.available_bytes;
  document["any_estimated"] = summary.any_estimated;
  document["is_data_parallel"] = summary.is_data_parallel;
  if (summary.ratio) document["times_data_parallel"] = summary.ratio->ratio;
  document["rivals"] = to_json(summary.rivals);
  if (summary.reason) document["why"] = to_json(*summary.reason);
  if (summary.confidence) document["sure"] = to_json(*summary.confidence);
}

OrderedJson to_json(const std::string& name, const std::string& split, const GroupCost& cost) {
  OrderedJson entry{{"name", name}};
  if (!split.empty()) entry["split"] = split;
  for (const ReportColumn column : all_report_columns) {
    const double seconds = cost.columns_s[static_cast<std::size_t>(column)];
    if (seconds != 0.0) entry[std::string(to_text(column)) + "_s"] = seconds;
  }
  entry["total_s"] = cost.total_s;
  entry["critical_s"] = cost.critical_s;
  entry["estimated"] = cost.estimated;
  return entry;
}

}  // namespace

OrderedJson explanation_document(const Plan& plan) {
  OrderedJson document = new_document("explanation");
  add_summary(summary_of(plan), document);
  GroupCosts found(plan);
  document["layers"] = OrderedJson::array();
  for (const LayerIndex i : plan.network.layers().indices()) {
    const std::string& name = plan.network.layer(i).name;
    document["layers"].push_back(to_json(name, to_text(plan.layers[i].split()), found.costs[name]));
  }
  document["groups"] = OrderedJson::array();
  for (const std::string& group : found.without_layer) {
    document["groups"].push_back(to_json(group, "", found.costs[group]));
  }
  return document;
}

std::string explanation_json(const Plan& plan) {
  return write_json(explanation_document(plan));
}

}  // namespace cnnplan
