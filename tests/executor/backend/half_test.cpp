#include "executor/backend/half.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Returns the nearest of the 65536 numbers of T. It looks at both neighbours of a truncated value.
template <typename T>
bool is_nearest(float value, T result) {
  const auto distance = [value](T candidate) {
    return std::abs(static_cast<double>(candidate) - static_cast<double>(value));
  };
  T above = result;
  T below = result;
  ++above.bits;
  --below.bits;
  const double own = distance(result);
  const auto not_nearer = [&](T other) {
    const double theirs = distance(other);
    if (!std::isfinite(theirs)) return true;
    return own < theirs || (own == theirs && (result.bits & 1U) == 0);
  };
  return not_nearer(above) && ((result.bits & 0x7fffU) == 0 || not_nearer(below));
}

template <typename T>
void check_round_trip() {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    T number;
    number.bits = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<float>(number);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(static_cast<float>(T(value))));
    } else {
      REQUIRE(T(value).bits == number.bits);
    }
  }
}

template <typename T>
void check_rounding(int least_exponent, int most_exponent) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> fraction(1.0F, 2.0F);
  for (int exponent = least_exponent; exponent <= most_exponent; ++exponent) {
    for (int i = 0; i < 200; ++i) {
      const float value = std::ldexp(fraction(engine), exponent) * (i % 2 == 0 ? 1.0F : -1.0F);
      REQUIRE(is_nearest(value, T(value)));
    }
  }
}

TEST_CASE("half: every number survives the way to float and back") {
  check_round_trip<BFloat16>();
  check_round_trip<Float16>();
}

TEST_CASE("half: floats are rounded to the nearest number, ties to even") {
  check_rounding<BFloat16>(-120, 120);
  check_rounding<Float16>(-26, 14);
  CHECK(BFloat16(1.00390625F).bits == BFloat16(1.0F).bits);  // half a unit above 1
  CHECK(Float16(1.00048828125F).bits == Float16(1.0F).bits);
}

TEST_CASE("half: known values and the largest ones") {
  CHECK(Float16(1.0F).bits == 0x3c00);
  CHECK(Float16(-2.0F).bits == 0xc000);
  CHECK(Float16(65504.0F).bits == 0x7bff);
  CHECK(Float16(0x1.0p-24F).bits == 1);
  CHECK(std::isinf(static_cast<float>(Float16(65520.0F))));
  CHECK(BFloat16(1.0F).bits == 0x3f80);
  CHECK(std::isinf(static_cast<float>(BFloat16(std::numeric_limits<float>::max()))));
}

}  // namespace
}  // namespace cnnplan
