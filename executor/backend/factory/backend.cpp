// Makes the backends of this build by name, and chooses one.
#include "executor/backend/backend.hpp"

#include <stdexcept>
#include <utility>

#include "executor/backend/reference/backend.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#ifdef CNNPLAN_HAVE_CUDNN
#include "executor/backend/cudnn/backend.hpp"
#endif
#ifdef CNNPLAN_HAVE_ONEDNN
#include "executor/backend/onednn/backend.hpp"
#endif

namespace cnnplan {

namespace {

// Backends that were not found by the build are named, so that nobody looks for a typing error.
constexpr std::string_view known_backends =
#ifdef CNNPLAN_HAVE_CUDNN
    "cudnn, "
#endif
#ifdef CNNPLAN_HAVE_ONEDNN
    "onednn, "
#endif
    "reference"
#ifndef CNNPLAN_HAVE_CUDNN
    " (no CUDA toolkit with cuDNN was found when this was built)"
#endif
#ifndef CNNPLAN_HAVE_ONEDNN
    " (oneDNN was not found when this was built)"
#endif
    ;

#ifdef CNNPLAN_HAVE_CUDNN
std::unique_ptr<Backend> make_gpu_backend(const BackendOptions& options) {
  const int devices = cudnn::require_devices(
      "backend \"cudnn\" needs an NVIDIA GPU and a driver for it; --backend onednn runs on the "
      "CPU");
  return cudnn::make_backend({.device = options.local_rank % devices,
                              .deterministic = options.deterministic,
                              .engine_trials = options.engine_trials,
                              .most_workspace_bytes = options.most_workspace_bytes,
                              .clock_warmup_s = options.clock_warmup_s,
                              .note = options.note});
}
#endif

}  // namespace

std::unique_ptr<Backend> make_backend(std::string_view name,
                                      [[maybe_unused]] const BackendOptions& options) {
  if (name == "reference") return reference::make_backend();
#ifdef CNNPLAN_HAVE_ONEDNN
  if (name == "onednn") return onednn::make_backend();
#endif
#ifdef CNNPLAN_HAVE_CUDNN
  if (name == "cudnn") return make_gpu_backend(options);
#endif
  throw EnvironmentError("no backend \"" + std::string(name) +
                         "\" in this build; it has: " + std::string(known_backends));
}

void require_precision(const Backend& backend, Precision precision) {
  if (backend.supports(precision)) return;
  std::string known;
  for (Precision other : Enumerators<Precision>::all) {
    if (!backend.supports(other)) continue;
    known += (known.empty() ? "" : ", ") + std::string(to_text(other));
  }
  const std::string missing = backend.missing_for(precision);
  throw EnvironmentError("backend \"" + backend.fingerprint().backend + "\" does not run " +
                         std::string(to_text(precision)) + (missing.empty() ? "" : ": " + missing) +
                         "; it has: " + known);
}

void require_filters(const KernelSpec& convolution, Range filters, std::size_t size) {
  const std::int64_t all = convolution.out[Dim::c];
  const bool are_there = filters.begin >= 0 && filters.end <= all;
  const std::int64_t each = all == 0 ? 0 : weight_volume(convolution) / all;
  if (are_there && std::cmp_equal(size, filters.size() * each)) return;
  throw std::logic_error(std::to_string(size) + " elements for filters " +
                         std::to_string(filters.begin) + " to " + std::to_string(filters.end) +
                         " of " + to_text(convolution));
}

void import_weight(const Backend& backend,
                   const KernelSpec& convolution,
                   std::span<const double> plain,
                   void* weight) {
  backend.import_filters(convolution, {0, convolution.out[Dim::c]}, plain, weight);
}

void export_weight(const Backend& backend,
                   const KernelSpec& convolution,
                   const void* weight,
                   std::span<double> plain) {
  backend.export_filters(convolution, {0, convolution.out[Dim::c]}, weight, plain);
}

std::string_view default_backend() {
#ifdef CNNPLAN_HAVE_CUDNN
  if (cudnn::count_devices().count > 0) return "cudnn";
#endif
#ifdef CNNPLAN_HAVE_ONEDNN
  return "onednn";
#else
  return "reference";
#endif
}

std::string why_no_gpu() {
#ifdef CNNPLAN_HAVE_CUDNN
  const cudnn::DeviceCount devices = cudnn::count_devices();
  if (devices.count > 0 || !devices.has_driver) return {};
  return "backend \"" + std::string(default_backend()) +
         "\" on the CPU: there is a CUDA driver, but " + devices.why_none;
#else
  return {};
#endif
}

}  // namespace cnnplan
