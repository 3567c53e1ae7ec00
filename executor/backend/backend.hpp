// Declares what the executor calls of a kernel library: kernels, weights and the values of a step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "executor/backend/device.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/profile.hpp"

namespace cnnplan {

// Holds the values that change from step to step.
struct StepState {
  std::uint64_t seed = 0;  // of the random numbers of dropouts
  std::int64_t step = 0;   // the number of the step, from 0 on
  bool training = true;    // false: dropout passes through, batch norm uses running values
  // SGD computes v = momentum v + gradient + weight_decay weight, then weight -= learning_rate v.
  double learning_rate = 0.0;
  double momentum = 0.0;
  double weight_decay = 0.0;
  // The gradient of the loss is multiplied by it, so that error signals do not vanish in fp16, and
  // the gradients of the weights are divided by it before they are used.
  double loss_scale = 1.0;
};

// Holds a kernel that is built and ready to run. Its first run may allocate memory. Later runs with
// these operands on a GPU allocate none, so that a graph can capture them.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Puts the kernel in the selected queue of the device. The operands are in the order that
  // KernelSpec documents, in memory of the device. On a host, the kernel is done on return.
  // @throws BackendError, DeviceLostError; as Device::allocate() where the first run lacks memory;
  // std::logic_error for another number of operands
  virtual void run(Operands operands, const StepState& state) = 0;
  // Returns the scratch memory that the kernel needs in addition to its operands.
  virtual std::int64_t workspace_bytes() const { return 0; }
  // Returns the name that the library gives it, e.g. "brgconv:avx512_core".
  virtual std::string implementation() const = 0;
};

// A backend is a library on one device. Weights are stored in the backend's own format, which
// depends on the convolution's filters, channels, groups and kernel only. The format never depends
// on the block, so that gradients of all ranks can be summed element by element.
class Backend {
 public:
  virtual ~Backend() = default;
  // Describes the device and the library, for profiles and run files. The field busy_ranks keeps
  // its default.
  virtual DeviceFingerprint fingerprint() const = 0;
  // True where the library and the device can run kernels of this precision.
  virtual bool supports(Precision precision) const = 0;
  // Returns what a precision lacks that is not supported; empty where the reason is not known.
  virtual std::string missing_for(Precision) const { return {}; }
  // Returns the device, which lives as long as the backend.
  virtual Device& device() = 0;
  // Call it before the kernels of a step, when the kernels of the step before are done. Some
  // devices cannot be given the state with every kernel.
  virtual void begin_step(const StepState&) {}
  // Call it before the first step, with the largest workspace that the selected lane (on hosts,
  // this thread) will need. It is for backends whose kernels share one workspace.
  // @throws as Device::allocate()
  virtual void reserve_workspace(std::int64_t) {}
  // Call it once in every thread that runs kernels. It sets floating-point modes.
  virtual void prepare_thread() const {}
  // Makes a kernel, which must not outlive the backend. `implementation` is the name that
  // Kernel::implementation() gave when the kernel was profiled. Where it is empty, or all ways to
  // compute a kernel are fixed, the backend chooses.
  // @throws BackendError when the library cannot run it at full speed, or not by this
  // implementation; InfeasibleError and DeviceLostError where ways to compute it are tried on a
  // device
  virtual std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                              const KernelConstants& constants,
                                              const std::string& implementation) = 0;
  // Returns how many elements the weight takes in the backend's format, with padding.
  virtual std::int64_t weight_elements(const KernelSpec& convolution) const = 0;
  // Returns how many filters the format stores together. Filters that are converted without the
  // others begin at a multiple of it, and end at one or with the last filter.
  virtual std::int64_t filter_block(const KernelSpec& convolution) const = 0;
  // Both functions convert some filters between plain order (F, C/groups, KD, KH, KW) in double and
  // the backend's format in the element of parameters. `plain` has these filters only. `weight` has
  // weight_elements(), in memory of the host.
  // @throws BackendError where the library fails; std::logic_error for a list `plain` of another
  // size
  virtual void import_filters(const KernelSpec& convolution,
                              Range filters,
                              std::span<const double> plain,
                              void* weight) const = 0;
  virtual void export_filters(const KernelSpec& convolution,
                              Range filters,
                              const void* weight,
                              std::span<double> plain) const = 0;
};

// Both functions convert all filters of a weight, as Backend::import_filters and export_filters do
// with some of them.
void import_weight(const Backend& backend,
                   const KernelSpec& convolution,
                   std::span<const double> plain,
                   void* weight);
void export_weight(const Backend& backend,
                   const KernelSpec& convolution,
                   const void* weight,
                   std::span<double> plain);

// A GPU takes a fraction of this time to raise its clocks.
constexpr double usual_clock_warmup_s = 0.3;
// BackendOptions::engine_trials is from 1 to most_engine_trials.
constexpr int most_engine_trials = 1000;
constexpr int default_engine_trials = 16;
constexpr std::int64_t default_workspace_bytes = std::int64_t{1} << 30;

// Says how a backend uses devices with memory of their own. Backends on the host ignore it.
struct BackendOptions {
  int local_rank = 0;          // the rank's number on its node, by which it takes a device in turn
  bool deterministic = false;  // only kernels that give the same bits every time
  // At most this many ways to compute a convolution are tried per variant.
  int engine_trials = default_engine_trials;
  // Ways to compute a convolution that need a larger workspace are not chosen.
  std::int64_t most_workspace_bytes = default_workspace_bytes;
  // A GPU works for this number of seconds before ways are timed, if it was idle, so that it has
  // raised its clocks.
  double clock_warmup_s = 0.0;
  // The backend calls it with a line of text before it tries a way to compute a convolution for the
  // first time, since the trial may end the process. It also does so after a trial that failed. The
  // function may be empty.
  std::function<void(const std::string& line)> note = {};
};

// Makes the backend "cudnn", "onednn" or "reference".
// @throws EnvironmentError when the build has no such backend, or the machine no device for it;
// BackendError when the library fails; as Device::allocate() when the device has no free memory
std::unique_ptr<Backend> make_backend(std::string_view name, const BackendOptions& options = {});
// Checks that a backend supports a precision.
// @throws EnvironmentError that names the precisions which the backend supports, if it does not
void require_precision(const Backend& backend, Precision precision);
// Checks the number of elements of a list of some filters in plain order.
// @throws std::logic_error unless `size` is the number that `filters` of this weight have
void require_filters(const KernelSpec& convolution, Range filters, std::size_t size);
// Returns the fastest backend that can run here: "cudnn" where there is a GPU, "onednn" where the
// build found it, else "reference".
std::string_view default_backend();
// Returns a sentence that says why default_backend() is none of a GPU although there is a driver
// for one. It is empty otherwise.
std::string why_no_gpu();

}  // namespace cnnplan
