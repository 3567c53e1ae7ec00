// Compares kernels that convert arrays with conversions on the host, at every alignment.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "executor/backend/half.hpp"
#include "tests/emulation/fixture.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::size_t room = 64;
constexpr std::uint16_t untouched = 0x1234;

float value_at(std::size_t i) {
  return 1.0F + 0.3F * static_cast<float>(i);
}

// Returns whether `count` numbers at an offset are rounded, and the numbers around them kept.
bool narrows(std::size_t offset, std::size_t count) {
  emulation::reset();
  std::vector<float> wide(room);
  std::vector<std::uint16_t> expected(room, untouched);
  for (std::size_t i = 0; i < room; ++i) wide[i] = value_at(i);
  for (std::size_t i = 0; i < count; ++i) {
    expected[offset + i] = BFloat16(value_at(offset + i)).bits;
  }
  const float* from = test::device_copy(wide) + offset;
  auto* to = test::device_copy(std::vector<std::uint16_t>(room, untouched));
  cudaStream_t stream = test::new_stream();
  narrow_values(Precision::bf16, from, to + offset, static_cast<std::int64_t>(count), stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  return test::host_copy(to, room) == expected;
}

bool widens(std::size_t offset, std::size_t count) {
  emulation::reset();
  std::vector<std::uint16_t> narrow(room);
  std::vector<float> expected(room, 7.0F);
  for (std::size_t i = 0; i < room; ++i) narrow[i] = BFloat16(value_at(i)).bits;
  for (std::size_t i = 0; i < count; ++i) {
    expected[offset + i] = static_cast<float>(BFloat16(value_at(offset + i)));
  }
  const auto* from = test::device_copy(narrow) + offset;
  auto* to = test::device_copy(std::vector<float>(room, 7.0F));
  cudaStream_t stream = test::new_stream();
  widen_values(Precision::bf16, from, to + offset, static_cast<std::int64_t>(count), stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  return test::host_copy(to, room) == expected;
}

}  // namespace

TEST_CASE("Arrays: any number of elements at any offset are converted, and nothing else changes") {
  for (std::size_t offset = 0; offset <= 8; ++offset) {
    for (std::size_t count : {0, 1, 7, 8, 9, 16, 37}) {
      CAPTURE(offset);
      CAPTURE(count);
      CHECK(narrows(offset, count));
      CHECK(widens(offset, count));
    }
  }
}

}  // namespace cnnplan::cudnn
