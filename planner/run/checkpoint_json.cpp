// Reads and writes checkpoint files.
#include <algorithm>
#include <charconv>
#include <string_view>

#include "planner/json/input_files_json.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/network/network_json.hpp"
#include "planner/run/checkpoint.hpp"
#include "planner/run/checkpoint_check.hpp"
#include "planner/run/gradient_checks_json.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange cycles_range{.minimum = 0, .maximum = max_cycles};
constexpr NumberRange not_negative{.minimum = 0.0};
constexpr NumberRange positive{.minimum = 0.0, .ends = Ends::open_below};

std::uint64_t read_seed(const JsonReader& reader) {
  const std::string text = reader.name();
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seed);
  if (result.ec != std::errc{} || result.ptr != end) reader.refuse("digits of a 64-bit integer");
  return seed;
}

ElementType read_element(const JsonReader& reader) {
  if (reader.is_text("fp32")) return ElementType::fp32;
  if (!reader.is_text("fp64")) reader.refuse("one of \"fp32\", \"fp64\"");
  return ElementType::fp64;
}

CheckpointPart read_part(const JsonReader& reader) {
  reader.allow_keys({"file", "bytes", "sha256"});
  CheckpointPart part{.file = reader.at("file").name(),
                      .bytes = reader.at("bytes").integer(bytes_range),
                      .sha256 = read_digest(reader.at("sha256"))};
  if (part.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
    reader.at("file").refuse("the name of a file beside this one");
  }
  return part;
}

std::vector<std::int64_t> read_indices(const JsonReader& reader, const IntegerRange& range) {
  std::vector<std::int64_t> indices;
  for (const JsonReader& entry : reader.entries({dim_count, dim_count})) {
    indices.push_back(entry.integer(range));
  }
  return indices;
}

StoredSlice read_slice(const JsonReader& reader) {
  reader.allow_keys({"part", "offset_bytes", "begin", "end", "share"});
  StoredSlice slice{.part = reader.at("part").integer<int>({0, max_ranks - 1}),
                    .offset_bytes = reader.at("offset_bytes").integer(bytes_range)};
  const auto begin = read_indices(reader.at("begin"), padding_range);
  const auto end = read_indices(reader.at("end"), padding_range);
  for (std::size_t i = 0; i < dim_count; ++i) slice.box.ranges[i] = {begin[i], end[i]};
  reader.read("share", slice.share, fraction_range);
  return slice;
}

StoredTensor read_tensor(const JsonReader& reader) {
  reader.allow_keys({"name", "shape", "slices"});
  StoredTensor tensor{.name = reader.at("name").name()};
  const auto extents = read_indices(reader.at("shape"), extent_range);
  std::copy(extents.begin(), extents.end(), tensor.shape.extents.begin());
  reader.at("shape").locate([&tensor] { return volume(tensor.shape); });
  for (const JsonReader& entry : reader.at("slices").entries({1, max_ranks})) {
    tensor.slices.push_back(read_slice(entry));
  }
  return tensor;
}

LayerIndex read_layer(const JsonReader& reader, const Network& network) {
  const std::optional<LayerIndex> layer = network.index_of(reader.name());
  if (!layer) reader.refuse("a layer of the network");
  return *layer;
}

RaisedCycles read_raised(const JsonReader& reader, const Network& network) {
  reader.allow_keys({"first", "last", "cycles"});
  return {.first = read_layer(reader.at("first"), network),
          .last = read_layer(reader.at("last"), network),
          .cycles = reader.at("cycles").integer<int>(cycles_range)};
}

void read_history(const JsonReader& root, Checkpoint& checkpoint) {
  for (const JsonReader& entry : root.at("loss").entries()) {
    checkpoint.loss.push_back(entry.number({}));
  }
  checkpoint.gradient_checks = read_gradient_checks(root);
  if (root.has("test_accuracy")) {
    for (const JsonReader& entry : root.at("test_accuracy").entries()) {
      checkpoint.test_accuracy.push_back(entry.number(fraction_range));
    }
  }
  if (root.has("test_loss")) {
    for (const JsonReader& entry : root.at("test_loss").entries()) {
      checkpoint.test_loss.push_back(entry.number({.minimum = 0.0}));
    }
  }
  if (!root.has("raised_cycles")) return;
  for (const JsonReader& entry : root.at("raised_cycles").entries()) {
    checkpoint.raised_cycles.push_back(read_raised(entry, checkpoint.network));
  }
}

void read_state(const JsonReader& root, Checkpoint& checkpoint) {
  checkpoint.element = read_element(root.at("element"));
  for (const JsonReader& entry : root.at("parts").entries({1, max_ranks})) {
    checkpoint.parts.push_back(read_part(entry));
  }
  for (const JsonReader& entry : root.at("tensors").entries()) {
    checkpoint.tensors.push_back(read_tensor(entry));
  }
}

std::vector<std::int64_t> indices(const Box& box, std::int64_t Range::*end) {
  std::vector<std::int64_t> list;
  for (const Range& range : box.ranges) list.push_back(range.*end);
  return list;
}

OrderedJson to_ordered_json(const StoredTensor& tensor) {
  OrderedJson json{{"name", tensor.name}, {"shape", tensor.shape.extents}};
  for (const StoredSlice& slice : tensor.slices) {
    OrderedJson entry{{"part", slice.part},
                      {"offset_bytes", slice.offset_bytes},
                      {"begin", indices(slice.box, &Range::begin)},
                      {"end", indices(slice.box, &Range::end)}};
    if (slice.share != 1.0) entry["share"] = slice.share;
    json["slices"].push_back(std::move(entry));
  }
  return json;
}

void add_history(OrderedJson& document, const Checkpoint& checkpoint) {
  document["loss"] = checkpoint.loss;
  if (!checkpoint.test_accuracy.empty()) document["test_accuracy"] = checkpoint.test_accuracy;
  if (!checkpoint.test_loss.empty()) document["test_loss"] = checkpoint.test_loss;
  if (!checkpoint.gradient_checks.empty()) {
    document["gradient_checks"] = to_ordered_json(checkpoint.gradient_checks);
  }
  for (const RaisedCycles& raised : checkpoint.raised_cycles) {
    document["raised_cycles"].push_back({{"first", checkpoint.network.layer(raised.first).name},
                                         {"last", checkpoint.network.layer(raised.last).name},
                                         {"cycles", raised.cycles}});
  }
}

void add_state(OrderedJson& document, const Checkpoint& checkpoint) {
  document["element"] = checkpoint.element == ElementType::fp64 ? "fp64" : "fp32";
  for (const CheckpointPart& part : checkpoint.parts) {
    document["parts"].push_back(
        {{"file", part.file}, {"bytes", part.bytes}, {"sha256", part.sha256}});
  }
  document["tensors"] = OrderedJson::array();
  for (const StoredTensor& tensor : checkpoint.tensors) {
    document["tensors"].push_back(to_ordered_json(tensor));
  }
}

}  // namespace

Checkpoint parse_checkpoint(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "checkpoint");
  const JsonReader root = document.root();
  root.allow_keys({"schema",          "generator",     "step",       "batch",         "seed",
                   "samples",         "plan_sha256",   "generation", "learning_rate", "momentum",
                   "weight_decay",    "loss_scale",    "loss",       "test_accuracy", "test_loss",
                   "gradient_checks", "raised_cycles", "element",    "parts",         "tensors",
                   "network",         "crop",          "mirror",     "sample_blocks"});
  Checkpoint checkpoint{.plan_sha256 = read_digest(root.at("plan_sha256")),
                        .network = read_embedded_network(root.at("network")),
                        .batch = root.at("batch").integer(extent_range),
                        .seed = read_seed(root.at("seed")),
                        .samples = root.at("samples").integer(step_range),
                        .step = root.at("step").integer(step_range),
                        .generation = root.at("generation").integer(step_range),
                        .learning_rate = root.at("learning_rate").number(not_negative),
                        .momentum = root.at("momentum").number(fraction_range),
                        .weight_decay = root.at("weight_decay").number(not_negative),
                        .loss_scale = root.at("loss_scale").number(positive)};
  if (root.has("crop")) checkpoint.crop = root.at("crop").integer(step_range);
  root.read("mirror", checkpoint.mirror);
  root.read("sample_blocks", checkpoint.sample_blocks, ranks_range);
  read_history(root, checkpoint);
  read_state(root, checkpoint);
  validate(checkpoint, file);
  return checkpoint;
}

std::string to_json(const Checkpoint& checkpoint) {
  OrderedJson document = new_document("checkpoint");
  document["step"] = checkpoint.step;
  document["batch"] = checkpoint.batch;
  document["seed"] = std::to_string(checkpoint.seed);
  document["samples"] = checkpoint.samples;
  document["plan_sha256"] = checkpoint.plan_sha256;
  document["generation"] = checkpoint.generation;
  document["learning_rate"] = checkpoint.learning_rate;
  document["momentum"] = checkpoint.momentum;
  document["weight_decay"] = checkpoint.weight_decay;
  document["loss_scale"] = checkpoint.loss_scale;
  if (checkpoint.crop) document["crop"] = *checkpoint.crop;
  if (checkpoint.mirror) document["mirror"] = true;
  if (checkpoint.sample_blocks > 1) document["sample_blocks"] = checkpoint.sample_blocks;
  add_history(document, checkpoint);
  add_state(document, checkpoint);
  document["network"] = embedded_network(checkpoint.network);
  return write_json(document);
}

}  // namespace cnnplan
