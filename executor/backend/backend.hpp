// The seam between the executor and a kernel library.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "executor/backend/device.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/model/kernel.hpp"
#include "planner/model/profile.hpp"

namespace cnnplan {

// What changes from step to step.
struct StepState {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  bool training = true;  // false: dropout passes through, batch norm uses running values
  double learning_rate = 0.0;
  double momentum = 0.0;
  double weight_decay = 0.0;
  // The gradient of the loss is multiplied by it, so that error signals do not vanish in fp16, and
  // the gradients of the weights are divided by it before they are used.
  double loss_scale = 1.0;
};

// A kernel ready to run: primitives and workspace are built, nothing is allocated by run().
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Operands in the order that KernelSpec documents, in memory of the backend's device. Put in the
  // selected queue of that device; done on return where the device is the host.
  virtual void run(Operands operands, const StepState& state) = 0;
  virtual std::int64_t workspace_bytes() const { return 0; }
  // As the library calls it, e.g. "brgconv:avx512_core".
  virtual std::string implementation() const = 0;
};

// A library on one device. Weights are stored in the backend's own format, which depends on the
// convolution's filters, channels, groups and kernel only: never on the block, so that gradients of
// all ranks can be summed element by element.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual DeviceFingerprint fingerprint() const = 0;
  virtual bool supports(Precision precision) const = 0;
  // Of a precision that it does not support: what is missing for it, where that is known.
  virtual std::string missing_for(Precision) const { return {}; }
  virtual Device& device() = 0;
  // Before the kernels of a step: what they are to know of it, for devices that cannot be told with
  // every kernel.
  virtual void begin_step(const StepState&) {}
  // Before the first step: what the largest workspace in the selected lane will be, on hosts in
  // this thread, for backends whose kernels share one.
  virtual void reserve_workspace(std::int64_t) {}
  // Call once in every thread that runs kernels (floating-point modes).
  virtual void prepare_thread() const {}
  // `implementation`: what Kernel::implementation() gave when the kernel was profiled, for backends
  // that have several; empty: the backend chooses.
  // @throws BackendError when the library cannot run it at full speed, or not in this way
  virtual std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                              const KernelConstants& constants,
                                              const std::string& implementation) = 0;
  // Elements that the weight of this convolution takes in the backend's format, padding included.
  virtual std::int64_t weight_elements(const KernelSpec& convolution) const = 0;
  // Plain order (F, C/groups, KD, KH, KW), in double, to the backend's format, in the element of
  // parameters, and back. `weight` is memory of the host.
  virtual void import_weight(const KernelSpec& convolution,
                             std::span<const double> plain,
                             void* weight) const = 0;
  virtual void export_weight(const KernelSpec& convolution,
                             const void* weight,
                             std::span<double> plain) const = 0;
};

struct BackendOptions {
  int local_rank = 0;          // among the ranks of the node, which share its devices in turn
  bool deterministic = false;  // only kernels that give the same bits every time
  int engine_trials = 8;  // at most so many ways to compute a convolution are timed per variant
  // Ways to compute a convolution that need more beside their operands are not chosen.
  std::int64_t most_workspace_bytes = std::int64_t{1} << 30;
};

// "cudnn", "onednn" or "reference".
// @throws EnvironmentError when the build has no such backend, or the machine no device for it
std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options = {});
// @throws EnvironmentError that names what the backend has, unless it supports `precision`
void require_precision(const Backend& backend, Precision precision);
// @throws std::logic_error unless `size` is what the weight of `convolution` has in plain order
void require_weight(const KernelSpec& convolution, std::size_t size);
// The fastest that can run here: "cudnn" where there is a GPU, "onednn" where it was found, else
// "reference".
std::string_view default_backend();
// Where default_backend() is none of a GPU although there is a driver for one: why, as a sentence.
// Empty otherwise.
std::string why_no_gpu();

}  // namespace cnnplan
