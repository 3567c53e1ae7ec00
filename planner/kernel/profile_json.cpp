// Reads and writes profile files.
#include "planner/base/file.hpp"
#include "planner/json/input_files_json.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/kernel/kernel_json.hpp"
#include "planner/kernel/profile.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange repetitions_range{1, count_range.maximum};

DeviceFingerprint read_fingerprint(const JsonReader& reader) {
  reader.allow_keys({"device", "backend", "library", "busy_ranks", "discrete", "shared_workspace"});
  DeviceFingerprint fingerprint{.device = reader.at("device").text(),
                                .backend = reader.at("backend").text(),
                                .library = reader.at("library").text()};
  reader.read("busy_ranks", fingerprint.busy_ranks, ranks_range);
  reader.read("discrete", fingerprint.discrete);
  reader.read("shared_workspace", fingerprint.shared_workspace);
  return fingerprint;
}

KernelTiming read_timing(const JsonReader& reader) {
  reader.allow_keys({"repetitions",
                     "median_s",
                     "mean_s",
                     "stddev_s",
                     "min_s",
                     "rank_spread_s",
                     "workspace_bytes",
                     "implementation"});
  KernelTiming timing;
  timing.repetitions = reader.at("repetitions").integer<int>(repetitions_range);
  timing.median_s = reader.at("median_s").number(seconds_range);
  timing.mean_s = reader.at("mean_s").number(seconds_range);
  timing.stddev_s = reader.at("stddev_s").number(seconds_range);
  timing.min_s = reader.at("min_s").number(seconds_range);
  reader.read("rank_spread_s", timing.rank_spread_s, seconds_range);
  reader.read("workspace_bytes", timing.workspace_bytes, bytes_range);
  reader.read("implementation", timing.implementation);
  return timing;
}

OrderedJson to_ordered_json(const DeviceFingerprint& fingerprint) {
  return {{"device", fingerprint.device},
          {"backend", fingerprint.backend},
          {"library", fingerprint.library},
          {"busy_ranks", fingerprint.busy_ranks},
          {"discrete", fingerprint.discrete},
          {"shared_workspace", fingerprint.shared_workspace}};
}

OrderedJson to_ordered_json(const KernelTiming& timing) {
  return {{"repetitions", timing.repetitions},
          {"median_s", timing.median_s},
          {"mean_s", timing.mean_s},
          {"stddev_s", timing.stddev_s},
          {"min_s", timing.min_s},
          {"rank_spread_s", timing.rank_spread_s},
          {"workspace_bytes", timing.workspace_bytes},
          {"implementation", timing.implementation}};
}

}  // namespace

Profile parse_profile(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "profile");
  const JsonReader root = document.root();
  root.allow_keys({"schema", "generator", "inputs", "fingerprint", "step_overhead_s", "kernels"});
  Profile profile{.fingerprint = read_fingerprint(root.at("fingerprint")), .kernels = {}};
  for (const JsonReader& entry : root.at("kernels").entries()) {
    entry.allow_keys({"kernel", "timing"});
    const KernelSpec spec = canonical(kernel_from_json(entry.at("kernel")));
    const KernelTiming timing = read_timing(entry.at("timing"));
    if (!profile.kernels.emplace(spec, timing).second) {
      refuse_value(entry.at("kernel"), "a second \"" + to_text(spec) + '"', "each kernel once");
    }
  }
  profile.inputs = read_input_files(root);
  root.read("step_overhead_s", profile.step_overhead_s, seconds_range);
  return profile;
}

Profile read_profile(const std::string& file) {
  return parse_profile(read_file(file), file);
}

std::string to_json(const Profile& profile) {
  OrderedJson document = new_document("profile");
  document["inputs"] = to_ordered_json(profile.inputs);
  document["fingerprint"] = to_ordered_json(profile.fingerprint);
  if (profile.step_overhead_s > 0.0) document["step_overhead_s"] = profile.step_overhead_s;
  document["kernels"] = OrderedJson::array();
  for (const auto& [spec, timing] : profile.kernels) {
    document["kernels"].push_back(
        {{"kernel", to_ordered_json(spec)}, {"timing", to_ordered_json(timing)}});
  }
  return write_json(document);
}

}  // namespace cnnplan
