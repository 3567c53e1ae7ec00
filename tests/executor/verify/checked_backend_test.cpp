// Tests that a kernel is compared with the reference, and that one wrong result is found->
#include "executor/verify/checked_backend.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/reference/backend.hpp"
#include "tests/executor/verify/faulty_backend.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t channels = 12;
constexpr std::int64_t weights = channels * channels;

KernelSpec filter_gradient() {
  KernelSpec spec{.phase = KernelPhase::backward_filter};
  spec.in = spec.out = Shape{{2, channels, 1, 6, 5}};
  return spec;
}

TensorView view(std::vector<float>& values, const Shape& shape) {
  return view_of(values.data(), whole(shape), whole(shape), sizeof(float));
}

// Runs a gradient of a filter with a fault. `products` limits what is computed again.
std::unique_ptr<KernelFindings> findings_with(double fault, double products) {
  const KernelSpec spec = filter_gradient();
  auto findings =
      std::make_unique<KernelFindings>(std::vector<std::string>{"conv/backward_filter"});
  CheckedBackend backend(
      std::make_unique<FaultyBackend>(reference::make_backend(),
                                      Fault{.kernel = 0, .place = 4, .size = fault}),
      *findings,
      products);
  std::vector<float> x(volume(spec.in));
  std::vector<float> dy(volume(spec.out));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.0F;
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<float>(i % 5) - 1.5F;
  std::vector<float> dweight(weights);
  const std::vector<TensorView> operands{
      view(x, spec.in), view(dy, spec.out), view(dweight, Shape{{1, 1, 1, 1, weights}})};
  backend.make_kernel(spec, {}, "")->run(operands, {});
  return findings;
}

}  // namespace

TEST_CASE("CheckedBackend: a right kernel is within its limits") {
  const auto found = findings_with(0.0, 1e6);
  CHECK(found->worst().excess < 1.0);
  CHECK(found->checked() == weights);
  CHECK(found->results() == weights);
}

TEST_CASE("CheckedBackend: one wrong result is found, with its operation") {
  const auto found = findings_with(0.1, 1e6);
  CHECK(found->worst().excess > 10.0);
  CHECK(found->worst().error == doctest::Approx(0.1).epsilon(1e-4));
  CHECK(found->worst().operation == "conv/backward_filter");
}

TEST_CASE("CheckedBackend: of a large kernel, corners are checked") {
  const auto found = findings_with(0.0, 60.0);
  CHECK(found->checked() < found->results());
  CHECK(found->checked() >= 2);
}

}  // namespace cnnplan::test
