// Tests sums of single results of convolutions against the reference backend in double.
#include "executor/verify/convolution_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/reference/backend.hpp"
#include "executor/verify/checked_places.hpp"
#include "executor/verify/dense_operand.hpp"
#include "tests/executor/verify/random_convolution.hpp"

namespace cnnplan::test {
namespace {

using Values = std::vector<double>;

TensorView view(Values& values, const Shape& shape) {
  return dense_view(values, whole(shape));
}

TensorView flat(Values& values) {
  return view(values, Shape{{1, 1, 1, 1, std::ssize(values)}});
}

void check_equal(const Values& expected, const auto& sum_at) {
  for (std::int64_t i = 0; i < std::ssize(expected); ++i) {
    const TermSum sum = sum_at(i);
    CHECK(std::abs(sum.value - expected[i]) <= 1e-14 * sum.absolute);
    CHECK(sum.absolute >= std::abs(sum.value));
  }
}

}  // namespace

TEST_CASE("ConvolutionSums: single results equal the reference's in all phases") {
  const auto reference = reference::make_backend();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    KernelSpec spec = random_convolution(draws, 4);
    Values x = draws.values(volume(spec.in));
    Values dy = draws.values(volume(spec.out));
    Values weight = draws.values(weight_volume(spec));
    Values bias = draws.values(spec.out[Dim::c]);
    Values y(dy.size()), dx(x.size()), dweight(weight.size()), dbias(bias.size());
    const auto run = [&](KernelPhase phase, const std::vector<TensorView>& operands) {
      spec.phase = phase;
      spec.bias = phase != KernelPhase::backward_data;
      reference->make_kernel(spec, {}, "")->run(operands, {});
    };
    run(KernelPhase::forward, {view(x, spec.in), flat(weight), flat(bias), view(y, spec.out)});
    run(KernelPhase::backward_data, {view(dy, spec.out), flat(weight), view(dx, spec.in)});
    run(KernelPhase::backward_filter,
        {view(x, spec.in), view(dy, spec.out), flat(dweight), flat(dbias)});
    const ConvolutionSums sums(spec, {.x = x, .dy = dy, .weight = weight, .bias = bias});
    check_equal(y, [&](std::int64_t at) { return sums.y(index_at(spec.out, at)); });
    check_equal(dx, [&](std::int64_t at) { return sums.dx(index_at(spec.in, at)); });
    check_equal(dweight, [&](std::int64_t at) { return sums.dweight(at); });
    check_equal(dbias, [&](std::int64_t at) { return sums.dbias(at); });
  }
}

TEST_CASE("checked_places: corners are always among them, and no place comes twice") {
  const Shape shape{{3, 5, 2, 7, 11}};
  const auto all = checked_places(shape, volume(shape), 1);
  CHECK(std::ssize(all) == volume(shape));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto some = checked_places(shape, 100, seed);
    CHECK(std::ssize(some) < 150);
    CHECK(some.front() == 0);
    CHECK(some.back() == volume(shape) - 1);
    CHECK(std::is_sorted(some.begin(), some.end(), std::less_equal<>()));
  }
  CHECK(checked_places(shape, 100, 1) != checked_places(shape, 100, 2));
}

}  // namespace cnnplan::test
