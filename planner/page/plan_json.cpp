// Writes everything that the page shows of one plan.
#include <cstddef>
#include <utility>
#include <vector>

#include "planner/json/input_files_json.hpp"
#include "planner/network/layer_parameters.hpp"
#include "planner/page/report_json.hpp"
#include "planner/page/tensor_cuts.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/roofline_json.hpp"
#include "planner/report/scaling_text.hpp"
#include "planner/summary/explanation_json.hpp"
#include "planner/summary/layer_groups.hpp"
#include "planner/summary/other_splits_text.hpp"
#include "planner/summary/reason.hpp"
#include "planner/summary/reason_text.hpp"
#include "planner/summary/summary_text.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

OrderedJson shape_json(const Shape& shape) {
  OrderedJson list = OrderedJson::array();
  for (const std::int64_t extent : shape.extents) list.push_back(extent);
  return list;
}

OrderedJson mesh_json(const Mesh& mesh) {
  OrderedJson list = OrderedJson::array();
  for (const MeshAxis& axis : mesh.axes()) {
    list.push_back({std::string(1, to_char(axis.axis)), axis.size});
  }
  return list;
}

// Each dim has a flat list of begins and ends.
OrderedJson cuts_json(const DimCuts& cuts) {
  OrderedJson list = OrderedJson::array();
  for (const std::vector<Range>& ranges : cuts) {
    OrderedJson dim = OrderedJson::array();
    for (const Range& range : ranges) {
      dim.push_back(range.begin);
      dim.push_back(range.end);
    }
    list.push_back(dim);
  }
  return list;
}

OrderedJson cut_json(const LayerCut& cut) {
  OrderedJson inputs = OrderedJson::array();
  for (const InputCut& input : cut.inputs) {
    inputs.push_back({{"shape", shape_json(input.shape)},
                      {"owner_mesh", mesh_json(input.owner_mesh)},
                      {"owned", cuts_json(input.owned)},
                      {"needed", cuts_json(input.needed)}});
  }
  return {{"mesh", mesh_json(cut.mesh)},
          {"stage", cut.stage},
          {"shape", shape_json(cut.shape)},
          {"owned", cuts_json(cut.owned)},
          {"inputs", inputs}};
}

void add_layers(const Plan& plan, OrderedJson& document) {
  const TensorCuts cuts = tensor_cuts(plan);
  OrderedJson layers = OrderedJson::array();
  for (const LayerIndex i : plan.network.layers().indices()) {
    OrderedJson inputs = OrderedJson::array();
    for (const LayerIndex input : plan.network.inputs_of(i)) inputs.push_back(int{input});
    layers.push_back({{"kind", kind_name(plan.network.layer(i).parameters)},
                      {"inputs", inputs},
                      {"words", split_words(plan.layers[i], plan.ranks)},
                      {"parameters", plan.network.parameter_count(i)},
                      {"recompute", plan.layers[i].recompute},
                      {"cut", cuts.of_layer[i]}});
  }
  document["layers"] = layers;
  document["cuts"] = OrderedJson::array();
  for (const LayerCut& cut : cuts.cuts) document["cuts"].push_back(cut_json(cut));
}

// Adds the reasons for splits, each once, and to layers the index of their reason.
// @pre the document has layers
void add_reasons(const ReportedPlan& reported, OrderedJson& document) {
  OrderedJson reasons = OrderedJson::array();
  OrderedJson& layers = document["layers"];
  const auto add = [&](const std::vector<LayerIndex>& list) {
    for (const LayerIndex layer : list) {
      layers[static_cast<std::size_t>(layer)]["reason"] = reasons.size();
    }
  };
  if (reported.other_splits) {
    for (const OtherSplitsOfUnits& units : reported.other_splits->units) {
      add(units.layers);
      add(units.equal_layers);
      reasons.push_back(to_text(*reported.other_splits, units, reported.plan));
    }
  }
  document["reasons"] = std::move(reasons);
  document["no_reason"] = reported.other_splits ? missing_text(*reported.other_splits)
                                                : "Unknown: " + reported.no_timeline;
}

OrderedJson group_list(const Plan& plan) {
  const Summary summary = summary_of(plan);
  OrderedJson groups = OrderedJson::array();
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    groups.push_back({{"first", int{summary.groups[i].first}},
                      {"last", int{summary.groups[i].last}},
                      {"name", summary.group_names[i]},
                      {"words", summary.groups[i].words}});
  }
  return groups;
}

OrderedJson costs_json(const CostTimes& times) {
  OrderedJson costs = OrderedJson::object();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > 0.0) costs[std::string(to_text(Enumerators<Cost>::all[i]))] = times[i];
  }
  return costs;
}

// Lists the plan and its rivals, each with its step by cost.
OrderedJson steps_json(const Plan& plan) {
  const Prediction& prediction = plan.prediction;
  OrderedJson steps = OrderedJson::array();
  steps.push_back({{"name", "this plan"},
                   {"ranks", plan.ranks},
                   {"step_s", prediction.step_s},
                   {"fits", true},
                   {"costs", costs_json(costs_of(prediction))}});
  for (const Rival& rival : prediction.rivals) {
    steps.push_back({{"name", name_of_rival(rival, plan.ranks)},
                     {"ranks", rival.ranks},
                     {"step_s", rival.step_s},
                     {"fits", rival.fits},
                     {"costs", costs_json(costs_of(rival))}});
  }
  return steps;
}

OrderedJson rivals_json(const ReportedPlan& reported) {
  OrderedJson list = OrderedJson::array();
  for (const ReportedRival& one : reported.rivals) {
    const Rival& rival = reported.plan.prediction.rivals.at(one.rival);
    const OrderedJson explained = explanation_document(one.plan);
    list.push_back({{"name", name_of_rival(rival, reported.plan.ranks)},
                    {"layers", explained["layers"]},
                    {"groups", explained["groups"]}});
  }
  return list;
}

OrderedJson memory_json(const MemoryUse& memory) {
  return {{"parameters_bytes", memory.parameters_bytes},
          {"activations_bytes", memory.activations_bytes},
          {"buffers_bytes", memory.buffers_bytes},
          {"process_bytes", memory.process_bytes},
          {"available_bytes", memory.available_bytes}};
}

OrderedJson families_json(const Prediction& prediction) {
  OrderedJson list = OrderedJson::array();
  for (const EstimatedFamily& family : prediction.estimated_families) {
    list.push_back({{"kind", to_text(family.family.kind)},
                    {"phase", to_text(family.family.phase)},
                    {"kernels", family.kernels}});
  }
  return list;
}

}  // namespace

OrderedJson plan_json(const ReportedPlan& reported) {
  const Plan& plan = reported.plan;
  OrderedJson document{{"file", reported.file.file},
                       {"sha256", reported.file.sha256},
                       {"summary", to_text(summary_of(plan, reported.path))},
                       {"plan_words", plan_words(plan)},
                       {"exposed_s", plan.prediction.exposed_communication_s},
                       {"bound_s", plan.prediction.bound_s},
                       {"ranks_per_node", plan.ranks_per_node},
                       {"overlap", plan.overlap},
                       {"device", plan.device},
                       {"assumptions", reported.assumptions},
                       {"profile_command", missing_command(profile_start(plan), reported.path)},
                       {"inputs", to_ordered_json(plan.inputs)},
                       {"memory", memory_json(plan.prediction.memory)},
                       {"estimated_kernels", plan.prediction.estimated_kernels},
                       {"estimated_families", families_json(plan.prediction)},
                       {"groups", group_list(plan)},
                       {"steps", steps_json(plan)},
                       {"explanation", explanation_document(plan)},
                       {"rivals", rivals_json(reported)}};
  add_layers(plan, document);
  add_reasons(reported, document);
  if (reported.timeline) {
    document["timeline"] = timeline_json(*reported.timeline, plan);
    document["roofline"] = to_json_by_row(reported.roofline.value());
  } else {
    document["no_timeline"] = reported.no_timeline;
  }
  return document;
}

}  // namespace cnnplan
