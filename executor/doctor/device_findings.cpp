// Makes each backend once, and takes its fingerprint or the reason why it cannot be made.
#include "executor/doctor/device_findings.hpp"

#include <memory>
#include <string>

#include "executor/backend/backend.hpp"
#include "executor/backend/mps.hpp"
#include "executor/comm/nccl_communicator.hpp"
#include "executor/hdf5/hdf5_library.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr const char* driver_file = "/proc/driver/nvidia/version";

// Returns "fp32, bf16".
std::string precisions_of(const Backend& backend) {
  std::string text;
  for (const Precision precision : Enumerators<Precision>::all) {
    if (!backend.supports(precision)) continue;
    text += (text.empty() ? "" : ", ") + std::string(to_text(precision));
  }
  return text;
}

Finding onednn_finding() {
  Finding finding{.part = "kernels", .name = "oneDNN"};
  try {
    const std::unique_ptr<Backend> backend = make_backend("onednn");
    finding.text = backend->fingerprint().library + "; " + precisions_of(*backend);
  } catch (const Error& error) {
    finding.state = FindingState::missing;
    finding.text = error.what();
    finding.remedy = "sudo apt-get install libdnnl-dev && scripts/build";
  }
  return finding;
}

// A machine without a driver for NVIDIA's cards has no use for cuDNN.
Finding missing_gpu(const std::string& why) {
  if (!file_exists(driver_file)) {
    return {.part = "GPU",
            .name = "cuDNN",
            .state = FindingState::absent,
            .text = "no driver for NVIDIA GPUs, so none is used"};
  }
  return {.part = "GPU",
          .name = "cuDNN",
          .state = FindingState::missing,
          .text = why,
          .remedy = "scripts/build cuda"};
}

Finding nccl_finding() {
  if (has_nccl()) return {.part = "GPU", .name = "NCCL", .text = "built in"};
  return {.part = "GPU",
          .name = "NCCL",
          .state = FindingState::advice,
          .text = "not built in: the host sums gradients of several GPUs",
          .remedy = "cmake --preset cuda -DCNNPLAN_NCCL=ON && scripts/build cuda"};
}

Finding mps_finding() {
  const MpsState mps = find_mps();
  if (!mps.error.empty()) {
    return {.part = "GPU",
            .name = "MPS",
            .state = FindingState::advice,
            .text = "unknown: cannot look into " + mps.folder + ": " + mps.error};
  }
  if (mps.is_running) {
    return {.part = "GPU", .name = "MPS", .text = "running, in " + mps.folder};
  }
  return {.part = "GPU",
          .name = "MPS",
          .state = FindingState::absent,
          .text =
              "not running: ranks that share a GPU take turns, so their times say nothing about "
              "its speed"};
}

std::vector<Finding> gpu_findings() {
  try {
    const std::unique_ptr<Backend> backend = make_backend("cudnn");
    const DeviceFingerprint found = backend->fingerprint();
    return {{.part = "GPU", .name = "device", .text = found.device},
            {.part = "GPU", .name = "cuDNN", .text = found.library},
            nccl_finding(),
            mps_finding()};
  } catch (const Error& error) {
    return {missing_gpu(error.what())};
  }
}

}  // namespace

std::vector<Finding> device_findings() {
  std::vector<Finding> findings{onednn_finding()};
  append(findings, gpu_findings());
  findings.push_back({.part = "files", .name = "HDF5", .text = hdf5_library_text()});
  return findings;
}

}  // namespace cnnplan
