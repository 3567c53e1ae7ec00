// Implements the backend interface with one library object. Weights are stored as cuDNN reads them
// fastest: (F, KD, KH, KW, C/groups).
#include "executor/backend/cudnn/backend.hpp"

#include "executor/backend/cudnn/kernels.hpp"
#include "executor/backend/element.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

// Calls visit(place in plain order, place in memory) for all elements of some filters. The first
// place counts from the first of these filters, the second one from the begin of the weight.
template <typename Visit>
void for_each_weight(const KernelSpec& convolution, Range filters, Visit visit) {
  const std::int64_t channels = convolution.in[Dim::c] / convolution.groups;
  const std::int64_t all = weight_volume(convolution);
  if (all == 0) return;
  const std::int64_t taps = all / (convolution.out[Dim::c] * channels);
  for (std::int64_t plain = 0; plain < filters.size() * channels * taps; ++plain) {
    const std::int64_t tap = plain % taps;
    const std::int64_t channel = plain / taps % channels;
    const std::int64_t filter = filters.begin + plain / taps / channels;
    visit(plain, (filter * taps + tap) * channels + channel);
  }
}

class CudnnBackend final : public Backend {
 public:
  explicit CudnnBackend(const Options& options) : library_(options) {}

  DeviceFingerprint fingerprint() const override;
  Device& device() override { return library_.device(); }
  void begin_step(const StepState& state) override;
  void reserve_workspace(std::int64_t bytes) override { library_.workspace().at_least(bytes); }
  bool supports(Precision precision) const override;
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override;
  std::int64_t weight_elements(const KernelSpec& convolution) const override {
    return weight_volume(convolution);
  }
  std::int64_t filter_block(const KernelSpec& /*convolution*/) const override { return 1; }
  void import_filters(const KernelSpec& convolution,
                      Range filters,
                      std::span<const double> plain,
                      void* weight) const override;
  void export_filters(const KernelSpec& convolution,
                      Range filters,
                      const void* weight,
                      std::span<double> plain) const override;

 private:
  mutable Library library_;
};

// The clocks are part of the fingerprint, because a card that runs slower gives other times.
DeviceFingerprint CudnnBackend::fingerprint() const {
  const DeviceProperties& device = library_.device().properties();
  const std::string engines = library_.options().deterministic ? ", deterministic" : "";
  return {.device = device.name + ", " + std::to_string(device.clock_mhz) + " MHz, memory " +
                    std::to_string(device.memory_clock_mhz) + " MHz",
          .backend = "cudnn",
          .library = library_.versions() + engines,
          .discrete = true,
          .shared_workspace = true};
}

bool CudnnBackend::supports(Precision precision) const {
  return library_.supports(precision);
}

void CudnnBackend::begin_step(const StepState& state) {
  library_.set_step({.seed = state.seed,
                     .step = static_cast<std::uint64_t>(state.step),
                     .learning_rate = state.learning_rate,
                     .momentum = state.momentum,
                     .weight_decay = state.weight_decay,
                     .loss_scale = state.loss_scale,
                     .training = state.training});
}

std::unique_ptr<Kernel> CudnnBackend::make_kernel(const KernelSpec& spec,
                                                  const KernelConstants& constants,
                                                  const std::string& implementation) {
  if (spec.algorithm != KernelAlgorithm::direct) {
    throw BackendError("cudnn: engines are chosen by timing, not by name: " + to_text(spec));
  }
  return cudnn::make_kernel(library_, implementation, spec, constants);
}

void CudnnBackend::import_filters(const KernelSpec& convolution,
                                  Range filters,
                                  std::span<const double> plain,
                                  void* weight) const {
  require_filters(convolution, filters, plain.size());
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    for_each_weight(convolution, filters, [&](std::size_t from, std::int64_t to) {
      static_cast<T*>(weight)[to] = stored<T>(plain[from]);
    });
  });
}

void CudnnBackend::export_filters(const KernelSpec& convolution,
                                  Range filters,
                                  const void* weight,
                                  std::span<double> plain) const {
  require_filters(convolution, filters, plain.size());
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    for_each_weight(convolution, filters, [&](std::size_t to, std::int64_t from) {
      plain[to] = static_cast<const T*>(weight)[from];
    });
  });
}

}  // namespace

std::unique_ptr<Backend> make_backend(const Options& options) {
  return std::make_unique<CudnnBackend>(options);
}

}  // namespace cnnplan::cudnn
