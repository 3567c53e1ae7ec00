// Builds reference kernels. Weights are stored in plain order (F, C/groups, KD, KH, KW).
#include "executor/backend/reference/backend.hpp"

#include <algorithm>

#include "executor/backend/cpu_device.hpp"
#include "executor/backend/element.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::reference {
namespace {

class ReferenceBackend final : public Backend {
 public:
  DeviceFingerprint fingerprint() const override {
    return {.device = cpu_name(1), .backend = "reference", .library = "cnnplan " CNNPLAN_VERSION};
  }
  Device& device() override { return device_; }
  bool supports(Precision /*precision*/) const override { return true; }
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
  CpuDevice device_;
};

std::unique_ptr<Kernel> ReferenceBackend::make_kernel(const KernelSpec& spec,
                                                      const KernelConstants& constants,
                                                      const std::string& /*implementation*/) {
  if (spec.algorithm != KernelAlgorithm::direct) {
    throw BackendError("reference: only the direct algorithm is there: " + to_text(spec));
  }
  return factories[spec.kind].make(spec, constants);
}

// Returns the place of the first of some filters. @pre there are filters
std::int64_t place_of(const KernelSpec& convolution, Range filters) {
  return weight_volume(convolution) / convolution.out[Dim::c] * filters.begin;
}

void ReferenceBackend::import_filters(const KernelSpec& convolution,
                                      Range filters,
                                      std::span<const double> plain,
                                      void* weight) const {
  require_filters(convolution, filters, plain.size());
  if (plain.empty()) return;
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    T* const first = static_cast<T*>(weight) + place_of(convolution, filters);
    std::transform(plain.begin(), plain.end(), first, stored<T>);
  });
}

void ReferenceBackend::export_filters(const KernelSpec& convolution,
                                      Range filters,
                                      const void* weight,
                                      std::span<double> plain) const {
  require_filters(convolution, filters, plain.size());
  if (plain.empty()) return;
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    const T* const first = static_cast<const T*>(weight) + place_of(convolution, filters);
    std::copy_n(first, plain.size(), plain.begin());
  });
}

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace cnnplan::reference
