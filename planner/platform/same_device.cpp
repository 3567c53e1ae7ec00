// Compares the names of devices.
#include "planner/platform/same_device.hpp"

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/json/schema_kind.hpp"

namespace cnnplan {
namespace {

// Returns the device of the input, if the file at `path` is this input and a platform. A file that
// cannot be read is another one.
std::string device_of(const std::string& path, const InputFile& input) try {
  if (path.empty() || path == standard_stream || !file_exists(path)) return {};
  const std::string text = read_file(path);
  if (sha256(text) != input.sha256) return {};
  if (schema_kind(text, path) != SchemaKind::platform) return {};
  const Platform platform = parse_platform(text, path);
  return platform.device == Platform{}.device ? "" : platform.device;
} catch (const Error&) {
  return {};
}

// Returns the device of the platform among the inputs after the network.
std::string platform_device(std::span<const InputFile> inputs) {
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    std::string device = device_of(inputs[i].file, inputs[i]);
    if (device.empty()) {
      device = device_of(shipped_path(inputs[i].file, shipped_platforms), inputs[i]);
    }
    if (!device.empty()) return device;
  }
  return {};
}

}  // namespace

bool is_of_same_device(const Platform& platform, const Profile& profile) {
  if (profile.kernels.empty()) return true;
  const std::string& device = profile.fingerprint.device;
  const bool is_unknown = !platform.measured && platform.device == Platform{}.device;
  const bool is_same =
      platform.measured ? device == platform.device : device.starts_with(platform.device);
  return is_unknown || is_same;
}

void check_same_device(const Platform& platform, const Profile& profile, const std::string& file) {
  if (is_of_same_device(platform, profile)) return;
  throw InputError({.file = file,
                    .pointer = "/fingerprint/device",
                    .value = '"' + profile.fingerprint.device + '"',
                    .allowed = "the device of the platform, \"" + platform.device + '"'});
}

DeviceKind device_kind_of(const Platform& platform, const Profile& profile) {
  return platform.kernels || profile.fingerprint.discrete ? DeviceKind::gpu : DeviceKind::cpu;
}

std::string model_of(const std::string& device) {
  return device.substr(0, device.find_first_of(",;"));
}

// The device of a platform that was described by hand is only the beginning of the device's name.
std::string other_model(const PlannedDevice& planned, const std::string& own) {
  const std::string here = model_of(own);
  if (here.empty()) return {};
  if (!planned.fingerprint.empty()) {
    const std::string model = model_of(planned.fingerprint);
    return model == here ? "" : model;
  }
  const std::string model = model_of(platform_device(planned.inputs));
  return here.starts_with(model) ? "" : model;
}

}  // namespace cnnplan
