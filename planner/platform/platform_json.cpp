// Reads and writes platform files.
#include <algorithm>
#include <string>

#include "planner/base/file.hpp"
#include "planner/json/input_files_json.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/kernel/kernel_rates_json.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange message_bytes_range{.minimum = 1};
constexpr IntegerRange peers_range{2, ranks_range.maximum};
constexpr NumberRange duplex_range{.minimum = 0.0, .maximum = 1000.0, .ends = Ends::open_below};

std::string key_of(const char* segments) {
  return std::string(segments) + "_segments";
}

Segment read_segment(const JsonReader& reader) {
  reader.allow_keys({"max_bytes", "alpha_s", "beta_s_per_byte"});
  return {.max_bytes = reader.at("max_bytes").integer(message_bytes_range),
          .alpha_s = reader.at("alpha_s").number(seconds_range),
          .beta_s_per_byte = reader.at("beta_s_per_byte").number(seconds_per_byte_range)};
}

std::vector<Segment> read_segments(const JsonReader& reader) {
  std::vector<Segment> segments;
  for (const JsonReader& entry : reader.entries({.minimum = 1})) {
    const Segment segment = read_segment(entry);
    if (!segments.empty() && segment.max_bytes <= segments.back().max_bytes) {
      entry.at("max_bytes")
          .refuse("above the segment before, " + std::to_string(segments.back().max_bytes));
    }
    segments.push_back(segment);
  }
  return segments;
}

Level read_level(const JsonReader& reader) {
  reader.allow_keys({"name",
                     "ranks_per_group",
                     "segments",
                     "duplex_factor",
                     "shared_by",
                     "gap_s",
                     "exchange_segments",
                     "ring_segments",
                     "reduce_scatter_segments",
                     "allgather_segments"});
  Level level{.name = reader.at("name").name()};
  level.ranks_per_group = reader.at("ranks_per_group").integer<int>(ranks_range);
  level.segments = read_segments(reader.at("segments"));
  reader.read("duplex_factor", level.duplex_factor, duplex_range);
  reader.read("shared_by", level.shared_by, ranks_range);
  // Older files have no gap, and assume that messages go one after the other.
  level.gap_s = level.segments.front().alpha_s;
  reader.read("gap_s", level.gap_s, seconds_range);
  for (const auto& [name, member] : optional_segment_fields) {
    if (reader.has(key_of(name))) level.*member = read_segments(reader.at(key_of(name)));
  }
  if (!level.exchange_segments.empty() && reader.has("duplex_factor")) {
    reader.at("duplex_factor").refuse("no such key, because exchange_segments have these times");
  }
  return level;
}

std::vector<Level> read_levels(const JsonReader& reader) {
  std::vector<Level> levels;
  for (const JsonReader& entry : reader.entries({.minimum = 1})) {
    Level level = read_level(entry);
    const int inner = levels.empty() ? 1 : levels.back().ranks_per_group;
    if (level.ranks_per_group % inner != 0) {
      entry.at("ranks_per_group")
          .refuse("a multiple of the level before, " + std::to_string(inner));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

// Reads where the measured ranks were. @throws InputError where a node has no room for them
void read_place(const JsonReader& reader, const Level& node, AllreduceFit& fit) {
  const int most = std::min(fit.ranks, node.ranks_per_group);
  reader.read("ranks_per_node", fit.ranks_per_node, ranks_range);
  if (fit.ranks_per_node > most) {
    reader.at("ranks_per_node")
        .refuse("at most the ranks of the group, and of a node, " + std::to_string(most));
  }
  const int members = fit.ranks_per_node > 0 ? fit.ranks_per_node : most;
  const int most_groups = node.ranks_per_group / members;
  reader.read("groups_at_once", fit.groups_at_once, ranks_range);
  if (fit.groups_at_once > most_groups) {
    reader.at("groups_at_once")
        .refuse("as many groups as a node has room for, at most " + std::to_string(most_groups));
  }
}

AllreduceFit read_allreduce_fit(const JsonReader& reader, const Level& node) {
  reader.allow_keys(
      {"algorithm", "collective", "ranks", "ranks_per_node", "groups_at_once", "segments"});
  AllreduceFit fit{.ranks = reader.at("ranks").integer<int>(peers_range),
                   .segments = read_segments(reader.at("segments"))};
  reader.read_enumerator("algorithm", fit.algorithm);
  reader.read_enumerator("collective", fit.kind);
  if (fit.kind != CollectiveKind::allreduce && !has_halves(fit.algorithm)) {
    reader.at("collective").refuse("allreduce, for an algorithm without halves");
  }
  read_place(reader, node, fit);
  return fit;
}

OrderedJson to_ordered_json(const std::vector<Segment>& segments) {
  OrderedJson list = OrderedJson::array();
  for (const Segment& segment : segments) {
    list.push_back({{"max_bytes", segment.max_bytes},
                    {"alpha_s", segment.alpha_s},
                    {"beta_s_per_byte", segment.beta_s_per_byte}});
  }
  return list;
}

OrderedJson to_ordered_json(const Level& level) {
  OrderedJson json{{"name", level.name}, {"ranks_per_group", level.ranks_per_group}};
  if (level.exchange_segments.empty()) json["duplex_factor"] = level.duplex_factor;
  json["shared_by"] = level.shared_by;
  json["gap_s"] = level.gap_s;
  json["segments"] = to_ordered_json(level.segments);
  for (const auto& [name, member] : optional_segment_fields) {
    if (!(level.*member).empty()) json[key_of(name)] = to_ordered_json(level.*member);
  }
  return json;
}

OrderedJson to_ordered_json(const AllreduceFit& fit) {
  OrderedJson json{{"algorithm", to_text(fit.algorithm)},
                   {"collective", to_text(fit.kind)},
                   {"ranks", fit.ranks}};
  if (fit.ranks_per_node > 0) json["ranks_per_node"] = fit.ranks_per_node;
  json["groups_at_once"] = fit.groups_at_once;
  json["segments"] = to_ordered_json(fit.segments);
  return json;
}

}  // namespace

Platform parse_platform(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "platform");
  const JsonReader root = document.root();
  root.allow_keys({"schema",
                   "generator",
                   "inputs",
                   "name",
                   "device",
                   "memory_bytes",
                   "process_bytes",
                   "levels",
                   "allreduce",
                   "gamma_s_per_byte",
                   "copy_s_per_byte",
                   "overlap_efficiency",
                   "launch_s",
                   "kernels",
                   "measured"});
  Platform platform{.levels = read_levels(root.at("levels"))};
  root.read("name", platform.name);
  root.read("device", platform.device);
  root.read("memory_bytes", platform.memory_bytes, bytes_range);
  root.read("process_bytes", platform.process_bytes, bytes_range);
  if (root.has("allreduce")) {
    for (const JsonReader& entry : root.at("allreduce").entries()) {
      platform.allreduce.push_back(read_allreduce_fit(entry, node_level(platform.levels)));
    }
  }
  root.read("gamma_s_per_byte", platform.gamma_s_per_byte, seconds_per_byte_range);
  root.read("copy_s_per_byte", platform.copy_s_per_byte, seconds_per_byte_range);
  root.read("overlap_efficiency", platform.overlap_efficiency, fraction_range);
  root.read("launch_s", platform.launch_s, seconds_range);
  if (root.has("kernels")) platform.kernels = kernel_rates_from_json(root.at("kernels"));
  root.read("measured", platform.measured);
  platform.inputs = read_input_files(root);
  return platform;
}

Platform read_platform(const std::string& file) {
  return parse_platform(read_file(file), file);
}

std::string to_json(const Platform& platform) {
  OrderedJson document = new_document("platform");
  document["inputs"] = to_ordered_json(platform.inputs);
  document["name"] = platform.name;
  document["device"] = platform.device;
  document["measured"] = platform.measured;
  document["memory_bytes"] = platform.memory_bytes;
  if (platform.process_bytes > 0) document["process_bytes"] = platform.process_bytes;
  document["gamma_s_per_byte"] = platform.gamma_s_per_byte;
  document["copy_s_per_byte"] = platform.copy_s_per_byte;
  document["overlap_efficiency"] = platform.overlap_efficiency;
  document["launch_s"] = platform.launch_s;
  document["levels"] = OrderedJson::array();
  for (const Level& level : platform.levels) document["levels"].push_back(to_ordered_json(level));
  document["allreduce"] = OrderedJson::array();
  for (const AllreduceFit& fit : platform.allreduce) {
    document["allreduce"].push_back(to_ordered_json(fit));
  }
  if (platform.kernels) document["kernels"] = to_ordered_json(*platform.kernels);
  return write_json(document);
}

}  // namespace cnnplan
