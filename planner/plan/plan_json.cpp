// Reads and writes plan files.
#include "planner/base/file.hpp"
#include "planner/json/input_files_json.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/kernel/device_text.hpp"
#include "planner/kernel/kernel_kind.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/network/network_json.hpp"
#include "planner/plan/multigrid_json.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/prediction_json.hpp"
#include "planner/plan/reductions_json.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange bucket_range{.minimum = 1};
constexpr IntegerRange stage_range{.minimum = 0, .maximum = max_ranks - 1};

bool has_statistics(const Layer& layer) {
  return std::holds_alternative<BatchNorm>(layer.parameters);
}

std::map<KernelPhase, KernelAlgorithm> read_algorithms(const JsonReader& reader) {
  reader.allow_keys({"forward", "backward_data", "backward_filter"});
  std::map<KernelPhase, KernelAlgorithm> algorithms;
  for (const KernelPhase phase : Enumerators<KernelPhase>::all) {
    const std::string_view key = to_text(phase);
    if (reader.has(key)) algorithms[phase] = reader.at(key).enumerator<KernelAlgorithm>();
  }
  return algorithms;
}

LayerPlan read_layer_plan(const JsonReader& reader, const Layer& layer) {
  reader.allow_keys({"name",
                     "mesh",
                     "statistics",
                     "channel_algorithm",
                     "algorithms",
                     "recompute",
                     "stage",
                     "halo",
                     "gather"});
  if (!reader.at("name").is_text(layer.name)) {
    reader.at("name").refuse('"' + layer.name + "\", as the network lists its layers");
  }
  const JsonReader mesh = reader.at("mesh");
  LayerPlan plan{.mesh = mesh.locate([&mesh] { return parse_mesh(mesh.text()); })};
  if (reader.has("statistics") && !has_statistics(layer)) {
    reader.at("statistics").refuse("this key on batch norms only");
  }
  reader.read_enumerator("statistics", plan.statistics);
  if (reader.has("recompute") && !can_recompute(layer.parameters)) {
    reader.at("recompute").refuse("this key on batch norms, ReLUs and adds only");
  }
  reader.read("recompute", plan.recompute);
  if (reader.has("halo") && !has_halo_method(layer.parameters)) {
    reader.at("halo").refuse("this key on convolutions that are not transposed only");
  }
  reader.read_enumerator("halo", plan.halo);
  reader.read_enumerator("gather", plan.gather);
  if (reader.has("stage") && plan.mesh.size(Axis::l) == 1) {
    reader.at("stage").refuse("this key where the mesh has an axis l only");
  }
  reader.read("stage", plan.stage, stage_range);
  for (const char* key : {"channel_algorithm", "algorithms"}) {
    if (!reader.has(key) || mixes_channels(layer.parameters)) continue;
    reader.at(key).refuse("this key on convolutions and fully connected layers only");
  }
  reader.read_enumerator("channel_algorithm", plan.channel_algorithm);
  if (!reader.has("algorithms")) return plan;
  plan.algorithms = read_algorithms(reader.at("algorithms"));
  return plan;
}

IndexedVector<LayerIndex, LayerPlan> read_layer_plans(const JsonReader& reader,
                                                      const Network& network) {
  IndexedVector<LayerIndex, LayerPlan> plans;
  const std::int64_t count = network.layer_count();
  for (const JsonReader& entry : reader.entries({count, count})) {
    plans.push_back(read_layer_plan(entry, network.layer(plans.end_index())));
  }
  return plans;
}

OrderedJson to_ordered_json(const LayerPlan& plan, const Layer& layer) {
  OrderedJson json{{"name", layer.name}, {"mesh", to_text(plan.mesh)}};
  if (has_statistics(layer)) json["statistics"] = to_text(plan.statistics);
  if (plan.mesh.size(Axis::l) > 1) json["stage"] = plan.stage;
  if (plan.recompute) json["recompute"] = true;
  if (plan.halo != LayerPlan{}.halo) json["halo"] = to_text(plan.halo);
  if (plan.gather != LayerPlan{}.gather) json["gather"] = to_text(plan.gather);
  if (plan.channel_algorithm != LayerPlan{}.channel_algorithm) {
    json["channel_algorithm"] = to_text(plan.channel_algorithm);
  }
  if (!mixes_channels(layer.parameters)) return json;
  for (const auto& [phase, algorithm] : plan.algorithms) {
    json["algorithms"][std::string(to_text(phase))] = to_text(algorithm);
  }
  return json;
}

void read_reductions(const JsonReader& root, Plan& plan) {
  root.read_enumerator("gradient_allreduce", plan.gradient_allreduce);
  plan.small_gradient_allreduces = read_small_allreduces(root);
  root.read_enumerator("statistics_allreduce", plan.statistics_allreduce);
  root.read("sharded_update", plan.sharded_update);
  root.read("optimizer_state_bytes", plan.optimizer_state_bytes, {0, max_optimizer_state_bytes});
  root.read("sample_blocks", plan.sample_blocks, ranks_range);
  root.read("ranks_per_node", plan.ranks_per_node, ranks_range);
  root.read("bucket_bytes", plan.bucket_bytes, bucket_range);
}

// Older files do not say the kind. If they have a device, its text tells it.
std::optional<DeviceKind> read_device_kind(const JsonReader& root, const std::string& device) {
  if (root.has("device_kind")) return root.at("device_kind").enumerator<DeviceKind>();
  if (device.empty()) return std::nullopt;
  return names_gpu(device) ? DeviceKind::gpu : DeviceKind::cpu;
}

void allow_plan_keys(const JsonReader& root) {
  root.allow_keys({"schema",
                   "generator",
                   "inputs",
                   "network",
                   "ranks",
                   "batch",
                   "precision",
                   "device",
                   "device_kind",
                   "layers",
                   "multigrid",
                   "gradient_allreduce",
                   "small_gradient_allreduces",
                   "statistics_allreduce",
                   "sharded_update",
                   "optimizer_state_bytes",
                   "sample_blocks",
                   "ranks_per_node",
                   "bucket_bytes",
                   "overlap",
                   "implementations",
                   "prediction"});
}

}  // namespace

Plan parse_plan(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "plan");
  const JsonReader root = document.root();
  allow_plan_keys(root);
  Plan plan{.network = read_embedded_network(root.at("network"))};
  plan.ranks = root.at("ranks").integer<int>(ranks_range);
  plan.batch = root.at("batch").integer(extent_range);
  plan.layers = read_layer_plans(root.at("layers"), plan.network);
  plan.multigrid = read_multigrid(root, plan.network);
  root.read_enumerator("precision", plan.precision);
  root.read("device", plan.device);
  plan.device_kind = read_device_kind(root, plan.device);
  read_reductions(root, plan);
  root.read("overlap", plan.overlap);
  if (root.has("implementations")) {
    for (const auto& [kernel, name] : root.at("implementations").members()) {
      plan.implementations.emplace(kernel, name.name());
    }
  }
  if (root.has("prediction")) {
    plan.prediction = prediction_from_json(root.at("prediction"), document.schema(), plan.network);
  }
  plan.inputs = read_input_files(root);
  validate(plan, file);
  return plan;
}

void require_plan_file(const std::string& file) {
  if (file_exists(file)) return;
  throw IoError(file + ": no such file; make a plan with: cnnplan solve NETWORK -o " + file);
}

Plan read_plan(const std::string& file) {
  require_plan_file(file);
  return parse_plan(read_file(file), file);
}

std::string to_json(const Plan& plan) {
  OrderedJson document = new_document("plan");
  document["inputs"] = to_ordered_json(plan.inputs);
  document["ranks"] = plan.ranks;
  document["batch"] = plan.batch;
  document["precision"] = to_text(plan.precision);
  document["device"] = plan.device;
  if (plan.device_kind) document["device_kind"] = to_text(*plan.device_kind);
  document["gradient_allreduce"] = to_text(plan.gradient_allreduce);
  add_small_allreduces(plan.small_gradient_allreduces, document);
  document["statistics_allreduce"] = to_text(plan.statistics_allreduce);
  if (plan.sharded_update) document["sharded_update"] = true;
  if (plan.optimizer_state_bytes > 0) {
    document["optimizer_state_bytes"] = plan.optimizer_state_bytes;
  }
  if (plan.sample_blocks > 1) document["sample_blocks"] = plan.sample_blocks;
  document["ranks_per_node"] = plan.ranks_per_node;
  document["bucket_bytes"] = plan.bucket_bytes;
  document["overlap"] = plan.overlap;
  document["layers"] = OrderedJson::array();
  for (const LayerIndex i : plan.layers.indices()) {
    document["layers"].push_back(to_ordered_json(plan.layers[i], plan.network.layer(i)));
  }
  if (!plan.multigrid.empty()) {
    document["multigrid"] = to_ordered_json(plan.multigrid, plan.network);
  }
  document["implementations"] = plan.implementations;
  document["prediction"] = to_ordered_json(plan.prediction, plan.network);
  document["network"] = embedded_network(plan.network);
  return write_json(document);
}

}  // namespace cnnplan
