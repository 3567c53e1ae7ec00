// Writes fingerprints of devices as text, and merges profiles of one device.
#include "planner/kernel/profile.hpp"

#include <algorithm>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

std::string to_text(const DeviceFingerprint& fingerprint) {
  return fingerprint.device + "; " + fingerprint.backend + " (" + fingerprint.library + "); " +
         counted(fingerprint.busy_ranks, "busy rank");
}

void merge(Profile& profile, const Profile& other, const std::string& other_file) {
  if (profile.fingerprint != other.fingerprint) {
    throw InputError({.file = other_file,
                      .pointer = "/fingerprint",
                      .value = '"' + to_text(other.fingerprint) + '"',
                      .allowed = '"' + to_text(profile.fingerprint) +
                                 "\"; times of another device go into a file of their own (-o)"});
  }
  profile.kernels.insert(other.kernels.begin(), other.kernels.end());
  if (profile.step_overhead_s == 0.0) profile.step_overhead_s = other.step_overhead_s;
  for (const InputFile& input : other.inputs) {
    const bool is_there =
        std::find(profile.inputs.begin(), profile.inputs.end(), input) != profile.inputs.end();
    if (!is_there) profile.inputs.push_back(input);
  }
}

}  // namespace cnnplan
