// Builds kernels and converts weights with oneDNN.
#include "executor/backend/onednn/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <omp.h>

#include "executor/backend/cpu_device.hpp"
#include "executor/backend/element.hpp"
#include "executor/backend/onednn/denormals.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan::onednn {
namespace {

// Processors with AMX have this instruction set, too. Elsewhere oneDNN rounds to bf16 in fp32
// arithmetic, slower than fp32.
bool multiplies_bf16() {
  const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto needed = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (has & needed) == needed;
}

class OnednnBackend final : public Backend {
 public:
  OnednnBackend();
  DeviceFingerprint fingerprint() const override;
  Device& device() override { return device_; }
  void reserve_workspace(std::int64_t bytes) override { Workspace::reserve(bytes); }
  void prepare_thread() const override;
  bool supports(Precision precision) const override {
    return precision == Precision::fp32 || (precision == Precision::bf16 && multiplies_bf16());
  }
  std::string missing_for(Precision precision) const override;
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override;
  std::int64_t weight_elements(const KernelSpec& convolution) const override;
  std::int64_t filter_block(const KernelSpec& convolution) const override;
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
  Library library_;
};

std::string name_of(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx:
      return "AVX";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx2_vnni:
      return "AVX2 VNNI";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512 VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512 BF16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "AMX";
    default:
      return "instruction set " + std::to_string(static_cast<int>(isa));
  }
}

OnednnBackend::OnednnBackend() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  library_ = {.engine = engine, .stream = dnnl::stream(engine)};
}

DeviceFingerprint OnednnBackend::fingerprint() const {
  const dnnl_version_t* version = dnnl_version();
  // The instruction set decides which kernels run, and the processor's name may not show it.
  return {.device = cpu_name(omp_get_max_threads()),
          .backend = "onednn",
          .library = "oneDNN " + std::to_string(version->major) + "." +
                     std::to_string(version->minor) + "." + std::to_string(version->patch) +
                     " with " + name_of(dnnl::get_effective_cpu_isa()),
          .shared_workspace = true};
}

// A rank uses one core unless the user says otherwise. Denormals cost a hundredfold, so they are
// flushed to zero.
void OnednnBackend::prepare_thread() const {
  if (!std::getenv("OMP_NUM_THREADS")) omp_set_num_threads(1);
  flush_denormals();
}

std::string OnednnBackend::missing_for(Precision precision) const {
  if (precision == Precision::bf16) return "this CPU has neither AVX512-BF16 nor AMX";
  if (precision == Precision::fp16) return "oneDNN has no training in fp16 on CPUs";
  return {};
}

void check_precision(const Backend& backend, const KernelSpec& spec) {
  if (backend.supports(spec.precision)) return;
  const std::string missing = backend.missing_for(spec.precision);
  throw BackendError("onednn: " + std::string(to_text(spec.precision)) + " is not there" +
                     (missing.empty() ? "" : " (" + missing + ")") + ": " + to_text(spec));
}

std::unique_ptr<Kernel> OnednnBackend::make_kernel(const KernelSpec& spec,
                                                   const KernelConstants& constants,
                                                   const std::string& /*implementation*/) {
  // This kind adds blocks of sums over samples.
  if (spec.kind == KernelKind::accumulate && spec.precision == Precision::fp64) {
    return make_add_doubles(spec);
  }
  check_precision(*this, spec);
  return factories[spec.kind].make(library_, spec, constants);
}

std::int64_t OnednnBackend::weight_elements(const KernelSpec& convolution) const {
  return stored_weight(convolution).get_size() / sizeof(float);
}

std::int64_t OnednnBackend::filter_block(const KernelSpec& convolution) const {
  return stored_filter_block(convolution);
}

void OnednnBackend::import_filters(const KernelSpec& convolution,
                                   Range filters,
                                   std::span<const double> plain,
                                   void* weight) const {
  require_filters(convolution, filters, plain.size());
  if (plain.empty()) return;
  std::vector<float> values(plain.size());
  std::transform(plain.begin(), plain.end(), values.begin(), stored<float>);
  checked_call(convolution, [&] {
    dnnl::memory from(plain_filters(convolution, filters), library_.engine, values.data());
    dnnl::memory to(stored_filters(convolution, filters), library_.engine, weight);
    dnnl::stream stream = library_.stream;
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  });
}

void OnednnBackend::export_filters(const KernelSpec& convolution,
                                   Range filters,
                                   const void* weight,
                                   std::span<double> plain) const {
  require_filters(convolution, filters, plain.size());
  if (plain.empty()) return;
  std::vector<float> values(plain.size());
  checked_call(convolution, [&] {
    // dnnl::memory takes no pointer to const, but the reorder only reads.
    dnnl::memory from(stored_filters(convolution, filters), library_.engine, DNNL_MEMORY_NONE);
    from.set_data_handle(const_cast<void*>(weight));
    dnnl::memory to(plain_filters(convolution, filters), library_.engine, values.data());
    dnnl::stream stream = library_.stream;
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  });
  std::copy(values.begin(), values.end(), plain.begin());
}

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<OnednnBackend>();
}

}  // namespace cnnplan::onednn
