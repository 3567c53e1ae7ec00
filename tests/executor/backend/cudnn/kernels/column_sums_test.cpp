// Tests how sums are split among threads, and the sums.
#include "executor/backend/cudnn/kernels/column_sums.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/fixture.hpp"
#include "tests/executor/backend/cudnn/sum_bound.hpp"

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

// Makes up the terms of one channel.
template <float (*value)(std::int64_t)>
struct MadeUpTerm {
  using Item = float;
  static constexpr int batch = 8;

  void begin(std::uint32_t) const {}
  float read(std::uint32_t position) const { return value(position); }
  void add(std::uint32_t, float term, Partial<float, 1, 1>& sums) const {
    sums.values[0].values[0] += term;
  }
};

template <float (*value)(std::int64_t)>
double sum_of(std::int64_t positions) {
  double* out = test::device_array<double>(1);
  const std::int64_t bytes = Strips::workspace_bytes(positions, 1, 1);
  auto* workspace = test::device_array<std::byte>(static_cast<std::size_t>(bytes));
  cudaStream_t stream = test::new_stream();
  column_sums<float, 1, 1>(
      stream, Strips(positions, 1, 1), workspace, MadeUpTerm<value>{}, Keep{out, 1});
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  return test::host_copy(out, 1)[0];
}

// Returns the relative error. All terms are positive.
template <float (*value)(std::int64_t)>
double error_of(std::int64_t positions) {
  double exact = 0.0;
  for (std::int64_t i = 0; i < positions; ++i) exact += static_cast<double>(value(i));
  return std::abs(sum_of<value>(positions) - exact) / exact;
}

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

TEST_CASE("Strips: few terms and many strips") {
  for (std::int64_t positions : {1, 127, 128, 129, 1000000, 100000000}) {
    for (std::int64_t channels : {1, 64, 2048, 1000000}) {
      CAPTURE(positions);
      CAPTURE(channels);
      const Strips strips(positions, channels, 1);
      CHECK((positions + strips.strips - 1) / strips.strips <= terms_per_strip);
    }
  }
}

TEST_CASE("column_sums: 10^8 positions and fewer keep the bound") {
  emulation::reset();
  CHECK(sum_of<test::one>(36'000'000) == 36e6);
  CHECK(error_of<test::one_and_some>(100'000'000) <= test::sum_bound(100'000'000));
  CHECK(error_of<test::mixed_value>(10'000'000) <= test::sum_bound(10'000'000));
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
