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
  void import_weight(const KernelSpec& convolution,
                     std::span<const double> plain,
                     void* weight) const override;
  void export_weight(const KernelSpec& convolution,
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

void ReferenceBackend::import_weight(const KernelSpec& convolution,
                                     std::span<const double> plain,
                                     void* weight) const {
  require_weight(convolution, plain.size());
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    std::transform(plain.begin(), plain.end(), static_cast<T*>(weight), stored<T>);
  });
}

void ReferenceBackend::export_weight(const KernelSpec& convolution,
                                     const void* weight,
                                     std::span<double> plain) const {
  require_weight(convolution, plain.size());
  with_type_of(parameter_element(convolution.precision), [&]<typename T>(T) {
    std::copy_n(static_cast<const T*>(weight), plain.size(), plain.begin());
  });
}

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace cnnplan::reference
