// Tests how sums are split among threads, and the sums.
#include "executor/backend/cudnn/kernels/column_sums.hpp"

#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/fixture.hpp"

namespace cnnplan::cudnn {
namespace {

std::int64_t used_bytes(const Strips& strips, int sums, std::size_t partial_bytes) {
  const auto partial = static_cast<std::int64_t>(partial_bytes);
  const auto folded = static_cast<std::int64_t>(sizeof(double));
  return (strips.strips * partial + strips.folds * folded) * sums * strips.channels;
}

// Returns column c of (positions, channels).
struct DenseTerm {
  using Item = Vector<float, 4>;
  static constexpr int batch = 8;

  const float* values;
  std::int64_t channels;
  std::uint32_t channel = 0;
  void begin(std::uint32_t first_channel) { channel = first_channel; }
  Item read(std::uint32_t position) const {
    return fetch<4>(values + position * channels + channel);
  }
  void add(std::uint32_t, const Item& value, Partial<float, 4, 2>& sums) const {
    for (int i = 0; i < 4; ++i) {
      sums.values[0].values[i] += value.values[i];
      sums.values[1].values[i] += 2.0F * value.values[i];
    }
  }
};

struct Keep {
  double* sums;
  std::int64_t channels;
  void set(int k, std::uint32_t channel, double value) const {
    sums[k * channels + channel] = value;
  }
};

}  // namespace

TEST_CASE("Strips: every position is in a strip, every strip in a fold") {
  for (std::int64_t positions : {0, 1, 2, 31, 33, 1000, 65536, 65537, 4194304}) {
    for (std::int64_t channels : {1, 3, 4, 8, 64, 513, 2048, 65536, 1000000}) {
      for (int width : {1, 2, 4, 8}) {
        if (channels % width != 0) continue;
        CAPTURE(positions);
        CAPTURE(channels);
        CAPTURE(width);
        const Strips strips(positions, channels, width);
        CHECK(strips.strips >= 1);
        CHECK(strips.strips <= std::max<std::int64_t>(positions, 1));
        CHECK(strips.folds >= 1);
        CHECK(strips.folds <= strips.strips);
        for (int sums : {1, 2}) {
          const std::int64_t bytes = Strips::workspace_bytes(positions, channels, sums);
          const std::size_t partial_bytes = width == 2 ? sizeof(double) : sizeof(float);
          CHECK(used_bytes(strips, sums, partial_bytes) <= bytes);
          CHECK(used_bytes(Strips(positions, channels, 1), sums, sizeof(double)) <= bytes);
        }
      }
    }
  }
}

TEST_CASE("column_sums: sums of columns, and nothing behind the workspace") {
  constexpr std::int64_t channels = 12;
  for (std::int64_t positions : {0, 1, 5, 100, 40000}) {
    CAPTURE(positions);
    emulation::reset();
    std::mt19937 random(2);
    std::vector<float> values(static_cast<std::size_t>(positions * channels + 4));
    for (float& value : values) value = static_cast<float>(random() % 8);
    std::vector<double> expected(2 * channels, 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(positions * channels); ++i) {
      expected[i % channels] += static_cast<double>(values[i]);
      expected[channels + i % channels] += 2.0 * static_cast<double>(values[i]);
    }
    const float* in = test::device_copy(values);
    double* out = test::device_array<double>(2 * channels);
    const std::int64_t bytes = Strips::workspace_bytes(positions, channels, 2);
    auto* workspace = test::device_array<std::byte>(static_cast<std::size_t>(bytes));
    cudaStream_t stream = test::new_stream();
    column_sums<float, 4, 2>(stream,
                             Strips(positions, channels, 4),
                             workspace,
                             DenseTerm{in, channels},
                             Keep{out, channels});
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(test::host_copy(out, 2 * channels) == expected);
  }
}

}  // namespace cnnplan::cudnn
