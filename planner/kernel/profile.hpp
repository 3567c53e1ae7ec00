// Holds the times of kernels on one device. `cnnplan profile` writes them, and the planner reads
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Holds the times of one kernel over its repetitions, in seconds of one execution.
struct KernelTiming {
  int repetitions = 0;
  double median_s = 0.0;
  double mean_s = 0.0;
  double stddev_s = 0.0;  // standard deviation between repetitions
  double min_s = 0.0;
  // This is the standard deviation between ranks that run the kernel at once; 0 for a single rank.
  double rank_spread_s = 0.0;
  std::int64_t workspace_bytes = 0;
  std::string implementation;  // the library's name for it
  auto operator<=>(const KernelTiming&) const = default;
};

// Tells devices apart. Times of two devices never mix.
struct DeviceFingerprint {
  std::string device;             // e.g. CPU model and number of threads per rank
  std::string backend;            // "onednn"
  std::string library;            // "oneDNN 2.6.3 with AVX2"
  int busy_ranks = 1;             // ranks of the node, or of the discrete device, that ran at once
  bool discrete = false;          // has its own memory: ranks on other devices do not slow it
  bool shared_workspace = false;  // all kernels use one workspace, as large as the largest needs
  auto operator<=>(const DeviceFingerprint&) const = default;
};
// Returns device, backend, library and the number of busy ranks in one line.
std::string to_text(const DeviceFingerprint& fingerprint);

// Holds a profile file.
struct Profile {
  DeviceFingerprint fingerprint;
  std::map<KernelSpec, KernelTiming> kernels;  // keys are canonical
  std::vector<InputFile> inputs;               // networks and plans whose kernels were timed
  // A step takes longer than its operations by this time, in which the host starts and ends it. It
  // was measured in a step of next to no work. 0: not known, or the device is the host.
  double step_overhead_s = 0.0;
  bool operator==(const Profile&) const = default;
};

// Adds the kernels, the inputs and the overhead of a step that `other` has and `profile` lacks.
// @throws InputError when the fingerprints differ, because times of two devices never mix
void merge(Profile& profile, const Profile& other, const std::string& other_file);

// Reads JSON of the schema cnnplan.profile/1. `file` names it in errors. @throws InputError
Profile parse_profile(std::string_view json, const std::string& file);
// Reads a file as parse_profile does. @throws InputError, IoError
Profile read_profile(const std::string& file);
// Returns the text of a profile file.
std::string to_json(const Profile& profile);

}  // namespace cnnplan
