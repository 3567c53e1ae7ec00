// Tests that a kernel is compared with the reference, and that one wrong result is found.
#include "executor/verify/checked_backend.hpp"

#include <cstdint>
#include <limits>
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

// Runs a gradient of a filter with a fault. `products` limits how many products are computed again.
std::unique_ptr<KernelFindings> findings_with(double fault,
                                              double products,
                                              float first_x = -2.0F) {
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
  x[0] = first_x;
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

TEST_CASE("CheckedBackend: a result without a number as its limit stays the worst") {
  const auto found = findings_with(0.0, 1e6, std::numeric_limits<float>::quiet_NaN());
  CHECK(found->worst().excess == std::numeric_limits<double>::infinity());
}

TEST_CASE("KernelFindings: an excess that is not a number stays the worst") {
  KernelFindings findings({"first", "second"});
  findings.add(0, {.excess = std::numeric_limits<double>::quiet_NaN()}, 1, 1);
  findings.add(1, {.excess = 1.0}, 1, 1);
  CHECK(findings.worst().operation == "first");
  CHECK(findings.worst().excess == std::numeric_limits<double>::infinity());
}

TEST_CASE("CheckedBackend: of a large kernel, corners are checked") {
  const auto found = findings_with(0.0, 60.0);
  CHECK(found->checked() < found->results());
  CHECK(found->checked() >= 2);
}

}  // namespace cnnplan::test
