// Tests that a cap of oneDNN's instructions holds for the loops of the backend, too.
#include "executor/backend/onednn/instruction_set.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "executor/backend/onednn/convolution/thin_product_loops.hpp"
#include "executor/backend/onednn/vectorize.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::onednn {
namespace {

std::string name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::baseline:
      return "baseline";
  }
  return "";
}

TEST_CASE("instruction set: a cap of oneDNN holds") {
  const char* const expected = std::getenv("CNNPLAN_EXPECT_INSTRUCTION_SET");
  if (expected == nullptr) return;  // the tests with a cap set it
  CHECK(name_of(instruction_set()) == expected);
}

// A product that is rounded before the sum loses its last digit, and a fused one keeps it. Without
// optimisation, the compiler fuses nothing.
TEST_CASE("instruction set: loops round as the instructions in use do") {
  const float x = 1.0F + std::ldexp(1.0F, -12);
  const std::array<float, 8> inputs{-1.0F, x};
  const std::array<float, 8> weights{1.0F, x};
  std::array<float, 1> y{};
  add_product(
      {.rows = 1, .depth = 8, .filters = 1}, Range{0, 8}, inputs.data(), weights.data(), y.data());
  const bool is_fused =
      CNNPLAN_HAS_VERSIONS && !test::is_slow_build && instruction_set() != InstructionSet::baseline;
  CHECK(y[0] == std::ldexp(1.0F, -11) + (is_fused ? std::ldexp(1.0F, -24) : 0.0F));
}

}  // namespace
}  // namespace cnnplan::onednn
