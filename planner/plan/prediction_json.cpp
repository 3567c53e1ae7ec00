// Reads and writes predictions, field by field.
#include "planner/plan/prediction_json.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "planner/network/enumerators.hpp"
#include "planner/plan/operation_place_json.hpp"
#include "planner/plan/rival_json.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

using Json = nlohmann::ordered_json;

// The gap is negative where a step is below its bound, and no step is below 0 s.
constexpr NumberRange gap_range{.minimum = -1.0};
// Predicted times are sums of times in seconds_range, over operations and ranks.
constexpr NumberRange predicted_range{.minimum = 0.0, .maximum = 1e30};
constexpr IntegerRange rank_range{.minimum = 0, .maximum = max_ranks - 1};
constexpr NumberRange margin_range{.minimum = -1e30, .maximum = 1e30};

PredictedOperation read_operation(const JsonReader& reader, int schema) {
  reader.allow_keys({"id", "layer", "part", "level", "predicted_s", "critical_s", "estimated"});
  PredictedOperation operation{.id = reader.at("id").name(),
                               .predicted_s = reader.at("predicted_s").number(predicted_range)};
  reader.read("critical_s", operation.critical_s, predicted_range);
  reader.read("estimated", operation.estimated);
  operation.place = read_operation_place(reader, schema);
  return operation;
}

MemoryUse read_memory(const JsonReader& reader) {
  reader.allow_keys({"parameters_bytes",
                     "activations_bytes",
                     "buffers_bytes",
                     "available_bytes",
                     "process_bytes"});
  MemoryUse memory;
  reader.read("parameters_bytes", memory.parameters_bytes, bytes_range);
  reader.read("activations_bytes", memory.activations_bytes, bytes_range);
  reader.read("buffers_bytes", memory.buffers_bytes, bytes_range);
  reader.read("available_bytes", memory.available_bytes, bytes_range);
  reader.read("process_bytes", memory.process_bytes, bytes_range);
  return memory;
}

UnitChoice read_choice(const JsonReader& reader) {
  reader.allow_keys({"layer", "mesh", "channel_algorithm", "recompute"});
  const JsonReader mesh = reader.at("mesh");
  UnitChoice choice{.layer = reader.at("layer").name(), .split = {}};
  choice.split.mesh = mesh.locate([&mesh] { return parse_mesh(mesh.text()); });
  reader.read_enumerator("channel_algorithm", choice.split.channel_algorithm);
  reader.read("recompute", choice.recompute);
  return choice;
}

UnitMargin read_margin(const JsonReader& reader) {
  reader.allow_keys({"layers", "runner_up", "margin_s", "changes"});
  UnitMargin margin;
  for (const JsonReader& entry : reader.at("layers").entries({.minimum = 1})) {
    margin.layers.push_back(entry.name());
  }
  reader.read("runner_up", margin.runner_up);
  reader.read("margin_s", margin.margin_s, margin_range);
  if (!reader.has("changes")) return margin;
  for (const JsonReader& entry : reader.at("changes").entries()) {
    margin.changes.push_back(read_choice(entry));
  }
  return margin;
}

PartitionedStep read_partitioned_step(const JsonReader& reader) {
  reader.allow_keys({"partitions", "step_s", "fits"});
  PartitionedStep step{.partitions = reader.at("partitions").integer<int>(ranks_range),
                       .step_s = reader.at("step_s").number(predicted_range)};
  reader.read("fits", step.fits);
  return step;
}

Partitioning read_partitioning(const JsonReader& reader) {
  reader.allow_keys({"plan", "step_s", "sample_ranks", "steps"});
  Partitioning partitioning{.plan = reader.at("plan").name(),
                            .step_s = reader.at("step_s").number(predicted_range)};
  reader.read("sample_ranks", partitioning.sample_ranks, ranks_range);
  for (const JsonReader& entry : reader.at("steps").entries({.minimum = 1})) {
    partitioning.steps.push_back(read_partitioned_step(entry));
  }
  return partitioning;
}

EstimatedFamily read_family(const JsonReader& reader) {
  reader.allow_keys({"kind", "phase", "precision", "algorithm", "kernels"});
  return {.family = {.kind = reader.at("kind").enumerator<KernelKind>(),
                     .phase = reader.at("phase").enumerator<KernelPhase>(),
                     .precision = reader.at("precision").enumerator<Precision>(),
                     .algorithm = reader.at("algorithm").enumerator<KernelAlgorithm>()},
          .kernels = reader.at("kernels").integer({1, count_range.maximum})};
}

// Plans of older versions have no families.
void read_estimates(const JsonReader& reader, Prediction& prediction) {
  if (reader.has("estimated_kernels")) {
    for (const JsonReader& entry : reader.at("estimated_kernels").entries()) {
      prediction.estimated_kernels.push_back(entry.text());
    }
  }
  if (!reader.has("estimated_families")) return;
  const JsonReader families = reader.at("estimated_families");
  std::int64_t kernels = 0;
  for (const JsonReader& entry : families.entries()) {
    prediction.estimated_families.push_back(read_family(entry));
    kernels += prediction.estimated_families.back().kernels;
  }
  const std::int64_t expected = std::ssize(prediction.estimated_kernels);
  if (kernels == expected) return;
  refuse_value(families,
               std::to_string(kernels) + " kernels",
               "the " + std::to_string(expected) + " kernels of estimated_kernels");
}

Json to_ordered_json(const EstimatedFamily& estimated) {
  return {{"kind", to_text(estimated.family.kind)},
          {"phase", to_text(estimated.family.phase)},
          {"precision", to_text(estimated.family.precision)},
          {"algorithm", to_text(estimated.family.algorithm)},
          {"kernels", estimated.kernels}};
}

Json to_ordered_json(const Partitioning& partitioning) {
  Json json{{"plan", partitioning.plan},
            {"step_s", partitioning.step_s},
            {"sample_ranks", partitioning.sample_ranks},
            {"steps", Json::array()}};
  for (const PartitionedStep& step : partitioning.steps) {
    Json entry{{"partitions", step.partitions}, {"step_s", step.step_s}};
    if (!step.fits) entry["fits"] = false;
    json["steps"].push_back(std::move(entry));
  }
  return json;
}

Json to_ordered_json(const PredictedOperation& operation) {
  Json json{{"id", operation.id}};
  add_operation_place(operation.place, json);
  json["predicted_s"] = operation.predicted_s;
  if (operation.critical_s > 0.0) json["critical_s"] = operation.critical_s;
  if (operation.estimated) json["estimated"] = true;
  return json;
}

Json to_ordered_json(const MemoryUse& memory) {
  Json json{{"parameters_bytes", memory.parameters_bytes},
            {"activations_bytes", memory.activations_bytes},
            {"buffers_bytes", memory.buffers_bytes},
            {"available_bytes", memory.available_bytes}};
  if (memory.process_bytes > 0) json["process_bytes"] = memory.process_bytes;
  return json;
}

Json to_ordered_json(const UnitChoice& choice) {
  Json json{{"layer", choice.layer}, {"mesh", to_text(choice.split.mesh)}};
  if (choice.split.channel_algorithm != Split{}.channel_algorithm) {
    json["channel_algorithm"] = to_text(choice.split.channel_algorithm);
  }
  if (choice.recompute) json["recompute"] = true;
  return json;
}

Json to_ordered_json(const UnitMargin& margin) {
  Json json{{"layers", margin.layers}};
  if (margin.runner_up.empty()) return json;
  json["runner_up"] = margin.runner_up;
  json["margin_s"] = margin.margin_s;
  for (const UnitChoice& choice : margin.changes) {
    json["changes"].push_back(to_ordered_json(choice));
  }
  return json;
}

void read_lists(const JsonReader& reader, int schema, Prediction& prediction) {
  if (reader.has("partitioning")) {
    prediction.partitioning = read_partitioning(reader.at("partitioning"));
  }
  read_estimates(reader, prediction);
  if (reader.has("margins")) {
    for (const JsonReader& entry : reader.at("margins").entries()) {
      prediction.margins.push_back(read_margin(entry));
    }
  }
  if (reader.has("operations")) {
    for (const JsonReader& entry : reader.at("operations").entries()) {
      prediction.operations.push_back(read_operation(entry, schema));
    }
  }
}

void add_lists(const Prediction& prediction, Json& json) {
  for (const EstimatedFamily& estimated : prediction.estimated_families) {
    json["estimated_families"].push_back(to_ordered_json(estimated));
  }
  if (!prediction.partitioning.steps.empty()) {
    json["partitioning"] = to_ordered_json(prediction.partitioning);
  }
  for (const UnitMargin& margin : prediction.margins) {
    json["margins"].push_back(to_ordered_json(margin));
  }
  for (const PredictedOperation& operation : prediction.operations) {
    json["operations"].push_back(to_ordered_json(operation));
  }
}

constexpr std::array<std::string_view, 24> prediction_keys{"step_s",
                                                           "low_s",
                                                           "high_s",
                                                           "exposed_communication_s",
                                                           "inference_s",
                                                           "operations",
                                                           "memory",
                                                           "baseline",
                                                           "baseline_s",
                                                           "bound_s",
                                                           "gap",
                                                           "runner_up",
                                                           "runner_up_s",
                                                           "candidates",
                                                           "pruned",
                                                           "outpriced",
                                                           "estimated_kernels",
                                                           "estimated_families",
                                                           "margins",
                                                           "margins_rank",
                                                           "partitioning",
                                                           "reduced_gradients",
                                                           "rivals",
                                                           "draws"};

}  // namespace

Prediction prediction_from_json(const JsonReader& reader, int schema, const Network& network) {
  reader.allow_keys(prediction_keys);
  Prediction prediction;
  reader.read("step_s", prediction.step_s, predicted_range);
  reader.read("low_s", prediction.low_s, predicted_range);
  reader.read("high_s", prediction.high_s, predicted_range);
  reader.read("exposed_communication_s", prediction.exposed_communication_s, predicted_range);
  reader.read("inference_s", prediction.inference_s, predicted_range);
  reader.read("baseline", prediction.baseline);
  reader.read("baseline_s", prediction.baseline_s, predicted_range);
  reader.read("bound_s", prediction.bound_s, predicted_range);
  reader.read("gap", prediction.gap, gap_range);
  reader.read("runner_up", prediction.runner_up);
  reader.read("runner_up_s", prediction.runner_up_s, predicted_range);
  reader.read("candidates", prediction.candidates, bytes_range);
  reader.read("pruned", prediction.pruned, bytes_range);
  reader.read("outpriced", prediction.outpriced, bytes_range);
  reader.read("margins_rank", prediction.margins_sum.rank, rank_range);
  if (reader.has("memory")) prediction.memory = read_memory(reader.at("memory"));
  read_lists(reader, schema, prediction);
  read_rivals(reader, network, prediction);
  return prediction;
}

Json to_ordered_json(const Prediction& prediction, const Network& network) {
  Json json{{"step_s", prediction.step_s},
            {"low_s", prediction.low_s},
            {"high_s", prediction.high_s},
            {"exposed_communication_s", prediction.exposed_communication_s},
            {"inference_s", prediction.inference_s},
            {"baseline", prediction.baseline},
            {"baseline_s", prediction.baseline_s},
            {"bound_s", prediction.bound_s},
            {"gap", prediction.gap},
            {"runner_up", prediction.runner_up},
            {"runner_up_s", prediction.runner_up_s},
            {"candidates", prediction.candidates},
            {"pruned", prediction.pruned},
            {"outpriced", prediction.outpriced},
            {"memory", to_ordered_json(prediction.memory)},
            {"estimated_kernels", prediction.estimated_kernels},
            {"margins", Json::array()},
            {"operations", Json::array()}};
  if (prediction.margins_sum.rank >= 0) json["margins_rank"] = prediction.margins_sum.rank;
  add_rivals(prediction, network, json);
  add_lists(prediction, json);
  return json;
}

}  // namespace cnnplan
