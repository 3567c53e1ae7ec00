// Reads and writes run files.
#include "planner/base/file.hpp"
#include "planner/json/input_files_json.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/plan/operation_place_json.hpp"
#include "planner/run/gradient_checks_json.hpp"
#include "planner/run/measured_steps_json.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {
namespace {

// Reads the keys of a measured time. The caller refuses other keys.
Measured read_measured(const JsonReader& reader) {
  return {.median_s = reader.at("median_s").number(seconds_range),
          .min_s = reader.at("min_s").number(seconds_range),
          .max_s = reader.at("max_s").number(seconds_range),
          .count = reader.at("count").integer<int>(count_range)};
}

MeasuredOperation read_operation(const JsonReader& reader, int schema) {
  reader.allow_keys(
      {"id", "layer", "part", "level", "ranks", "median_s", "min_s", "max_s", "count"});
  return {.id = reader.at("id").name(),
          .time = read_measured(reader),
          .ranks = reader.at("ranks").integer<int>(ranks_range),
          .place = read_operation_place(reader, schema)};
}

void add_measured(OrderedJson& json, const Measured& measured) {
  json["median_s"] = measured.median_s;
  json["min_s"] = measured.min_s;
  json["max_s"] = measured.max_s;
  json["count"] = measured.count;
}

OrderedJson to_ordered_json(const MeasuredOperation& operation) {
  OrderedJson json{{"id", operation.id}};
  add_operation_place(operation.place, json);
  json["ranks"] = operation.ranks;
  add_measured(json, operation.time);
  return json;
}

void read_lists(const JsonReader& root, int schema, RunReport& run) {
  for (const JsonReader& entry : root.at("operations").entries()) {
    run.operations.push_back(read_operation(entry, schema));
  }
  for (const JsonReader& entry : root.at("loss").entries()) run.loss.push_back(entry.number({}));
  run.gradient_checks = read_gradient_checks(root);
  if (root.has("test_accuracy")) {
    for (const JsonReader& entry : root.at("test_accuracy").entries()) {
      run.test_accuracy.push_back(entry.number(fraction_range));
    }
  }
  if (root.has("test_loss")) {
    for (const JsonReader& entry : root.at("test_loss").entries()) {
      run.test_loss.push_back(entry.number({.minimum = 0.0}));
    }
  }
  if (!root.has("environment")) return;
  for (const auto& [key, value] : root.at("environment").members()) {
    run.environment[key] = value.text();
  }
}

}  // namespace

RunReport parse_run(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "run");
  const JsonReader root = document.root();
  root.allow_keys({"schema",
                   "generator",
                   "inputs",
                   "network",
                   "ranks",
                   "batch",
                   "backend",
                   "device",
                   "step",
                   "operations",
                   "loss",
                   "gradient_checks",
                   "test_accuracy",
                   "test_loss",
                   "peak_memory_bytes",
                   "process_peak_bytes",
                   "in_turns",
                   "environment",
                   "trace"});
  RunReport run{.network = root.at("network").text()};
  run.ranks = root.at("ranks").integer<int>(ranks_range);
  run.batch = root.at("batch").integer(extent_range);
  root.read("backend", run.backend);
  root.read("device", run.device);
  const JsonReader step = root.at("step");
  step.allow_keys({"median_s", "min_s", "max_s", "count"});
  run.step = read_measured(step);
  read_lists(root, document.schema(), run);
  root.read("peak_memory_bytes", run.peak_memory_bytes, bytes_range);
  root.read("process_peak_bytes", run.process_peak_bytes, bytes_range);
  root.read("in_turns", run.in_turns);
  run.inputs = read_input_files(root);
  run.trace = read_measured_steps(root, run.operations.size(), run.ranks);
  return run;
}

RunReport read_run(const std::string& file) {
  if (!file_exists(file)) {
    throw IoError(file + ": no such file; measure a run with: mpirun -n RANKS cnnexec PLAN -o " +
                  file);
  }
  return parse_run(read_file(file), file);
}

std::string to_json(const RunReport& run) {
  OrderedJson document = new_document("run");
  document["inputs"] = to_ordered_json(run.inputs);
  document["network"] = run.network;
  document["ranks"] = run.ranks;
  document["batch"] = run.batch;
  document["backend"] = run.backend;
  document["device"] = run.device;
  add_measured(document["step"], run.step);
  document["loss"] = run.loss;
  if (!run.gradient_checks.empty()) {
    document["gradient_checks"] = to_ordered_json(run.gradient_checks);
  }
  if (!run.test_accuracy.empty()) document["test_accuracy"] = run.test_accuracy;
  if (!run.test_loss.empty()) document["test_loss"] = run.test_loss;
  document["peak_memory_bytes"] = run.peak_memory_bytes;
  document["process_peak_bytes"] = run.process_peak_bytes;
  if (run.in_turns) document["in_turns"] = true;
  document["environment"] = OrderedJson::object();
  for (const auto& [key, value] : run.environment) document["environment"][key] = value;
  document["operations"] = OrderedJson::array();
  for (const MeasuredOperation& operation : run.operations) {
    document["operations"].push_back(to_ordered_json(operation));
  }
  if (run.trace) document["trace"] = to_ordered_json(*run.trace);
  return write_json(document);
}

}  // namespace cnnplan
