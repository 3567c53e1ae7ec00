// Tests what every backend refuses, and how it describes itself.
#include "executor/backend/backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

// Returns the message of require_precision(); empty where it accepts the precision.
std::string refusal(const Backend& backend, Precision precision) {
  try {
    require_precision(backend, precision);
    return {};
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

KernelSpec convolution(std::int64_t channels, std::int64_t filters, std::int64_t kernel) {
  KernelSpec spec;
  spec.in = {{1, channels, 1, 9, 9}};
  spec.out = {{1, filters, 1, 9, 9}};
  const std::int64_t padding = kernel / 2;
  spec.window.dims[1] =
      spec.window.dims[2] = {.kernel = kernel, .padding_begin = padding, .padding_end = padding};
  return spec;
}

KernelSpec grouped(KernelSpec spec, std::int64_t groups) {
  spec.groups = groups;
  return spec;
}

// Filters and channels do not fill the blocks of 16 of the first three.
std::vector<KernelSpec> convolutions_of_all_formats() {
  return {convolution(20, 37, 3),
          convolution(20, 37, 1),
          grouped(convolution(37, 37, 3), 37),
          grouped(convolution(64, 96, 3), 2),
          grouped(convolution(12, 18, 3), 3)};
}

}  // namespace

TEST_CASE("make_backend: an unknown name is refused with the names there are") {
  try {
    make_backend("fpga");
    FAIL("accepted");
  } catch (const EnvironmentError& error) {
    CHECK(std::string(error.what()).find("reference") != std::string::npos);
    CHECK(std::string(error.what()).find("fpga") != std::string::npos);
  }
}

TEST_CASE("default_backend: the fastest of this build") {
  CHECK(default_backend() == candidates().back().backend);
}

TEST_CASE("Backend: fingerprints name device, backend and library") {
  for (const Candidate& candidate : candidates()) {
    const DeviceFingerprint fingerprint = make_backend(candidate.backend)->fingerprint();
    CHECK(fingerprint.backend == candidate.backend);
    CHECK_FALSE(fingerprint.device.empty());
    CHECK_FALSE(fingerprint.library.empty());
  }
}

TEST_CASE("Device: one number that is not finite is found at any place, in all elements") {
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend);
    Device& device = prepared(candidate.backend).device();
    for (const ElementType element :
         {ElementType::fp32, ElementType::fp64, ElementType::bf16, ElementType::fp16}) {
      with_type_of(element, [&]<typename T>(T) {
        std::vector<T> values(1037, stored<T>(65504.0));  // the largest number in fp16
        const auto count = std::ssize(values);
        const std::int64_t bytes = count * bytes_of(element);
        const MemoryBlock memory = device.allocate(bytes);
        const auto are_finite = [&] {
          device.copy_to_device(memory.data(), values.data(), bytes);
          return device.are_finite(element, memory.data(), count);
        };
        CHECK(are_finite());
        CHECK(device.are_finite(element, memory.data(), 0));
        for (const double wrong : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
          for (const std::int64_t place : {std::int64_t{0}, count / 2, count - 1}) {
            const T kept = std::exchange(values[place], stored<T>(wrong));
            CHECK_FALSE(are_finite());
            values[place] = kept;
          }
        }
        CHECK(are_finite());
      });
    }
  }
}

TEST_CASE("onednn: double precision is refused by name of the kernel") {
  if (default_backend() != "onednn") {
    MESSAGE("skipped: this build has no oneDNN");
    return;
  }
  const auto backend = make_backend("onednn");
  KernelSpec spec;
  spec.kind = KernelKind::relu;
  spec.precision = Precision::fp64;
  try {
    backend->make_kernel(spec, {}, {});
    FAIL("accepted");
  } catch (const BackendError& error) {
    CHECK(std::string(error.what()).find(to_text(spec)) != std::string::npos);
  }
}

TEST_CASE("require_precision: names the backend, the precision and what there is") {
  const auto reference = make_backend("reference");
  for (Precision precision : Enumerators<Precision>::all) {
    CHECK_NOTHROW(require_precision(*reference, precision));
  }
  if (default_backend() != "onednn") {
    MESSAGE("skipped: this build has no oneDNN");
    return;
  }
  const auto onednn = make_backend("onednn");
  const bool has_bf16 = onednn->supports(Precision::bf16);
  // The test runs as on another CPU.
  if (std::getenv("CNNPLAN_EXPECT_BF16") != nullptr) CHECK_FALSE(has_bf16);
  CHECK(refusal(*onednn, Precision::bf16) ==
        (has_bf16 ? ""
                  : "backend \"onednn\" does not run bf16: this CPU has neither AVX512-BF16 nor "
                    "AMX; it has: fp32"));
  CHECK(refusal(*onednn, Precision::fp16) ==
        std::string("backend \"onednn\" does not run fp16: oneDNN has no training in fp16 on CPUs; "
                    "it has: fp32") +
            (has_bf16 ? ", bf16" : ""));
  CHECK(refusal(*onednn, Precision::fp64) ==
        std::string("backend \"onednn\" does not run fp64; it has: fp32") +
            (has_bf16 ? ", bf16" : ""));
}

TEST_CASE("Backend: filters that are converted some at a time are those of the whole weight") {
  Random random(7);
  for (const KernelSpec& spec : convolutions_of_all_formats()) {
    const std::int64_t filters = spec.out[Dim::c];
    const Values plain = random.values(weight_volume(spec));
    const std::int64_t each = weight_volume(spec) / filters;
    for (const Candidate& candidate : candidates()) {
      CAPTURE(candidate.backend);
      CAPTURE(to_text(spec));
      const Backend& backend = prepared(candidate.backend);
      std::vector<double> whole(backend.weight_elements(spec), 1.0);  // wide enough for any element
      std::vector<double> parts = whole;
      import_weight(backend, spec, plain, whole.data());
      const std::int64_t block = backend.filter_block(spec);
      for (std::int64_t first = 0; first < filters; first += block) {
        const Range some{first, std::min(first + block, filters)};
        const std::span<const double> own(plain.data() + some.begin * each, some.size() * each);
        backend.import_filters(spec, some, own, parts.data());
        std::vector<double> back(own.size());
        backend.export_filters(spec, some, whole.data(), back);
        std::vector<double> all(plain.size());
        export_weight(backend, spec, whole.data(), all);
        CHECK(std::equal(back.begin(), back.end(), all.begin() + some.begin * each));
      }
      CHECK(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(double)) == 0);
    }
  }
}

TEST_CASE("Backend: the same kernel twice gives the same bits") {
  Random random(1);
  KernelSpec spec;
  spec.phase = KernelPhase::backward_filter;
  spec.in = {{2, 32, 1, 15, 14}};
  spec.out = {{2, 48, 1, 15, 14}};
  spec.window.dims[1] = spec.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  for (const Candidate& candidate : candidates()) {
    Block x =
        Block::dense(element_of(candidate.precision), spec.in).fill(random.values(volume(spec.in)));
    Block dy = Block::dense(element_of(candidate.precision), spec.out)
                   .fill(random.values(volume(spec.out)));
    const auto elements = make_backend(candidate.backend)->weight_elements(spec);
    Block first = flat(Element::fp32, elements);
    Block second = flat(Element::fp32, elements);
    run(candidate, spec, {}, {}, {&x, &dy, &first});
    run(candidate, spec, {}, {}, {&x, &dy, &second});
    CHECK(first.values() == second.values());
  }
}

}  // namespace cnnplan::test
