// Compares the names of devices.
#include "planner/platform/same_device.hpp"

#include "planner/base/error.hpp"

namespace cnnplan {

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

}  // namespace cnnplan
