// Tests sums over positions on the emulated device.
#include "executor/backend/cudnn/kernels/column_sums.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/fixture.hpp"
#include "tests/executor/backend/cudnn/sum_bound.hpp"

namespace cnnplan::cudnn {
namespace {

// Returns counters of blocks that have arrived, which begin with 0.
std::uint32_t* new_counters() {
  return test::device_copy(std::vector<std::uint32_t>(arrival_counters));
}

// Returns scratch memory for `sums` sums, with nothing behind it.
SumScratch new_scratch(std::int64_t channels, int sums) {
  const std::int64_t bytes = sums_workspace_bytes(channels, sums);
  return {.memory = test::device_array<std::byte>(static_cast<std::size_t>(bytes)),
          .arrived = new_counters(),
          .stream = test::new_stream()};
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
  const SumScratch scratch = new_scratch(1, 1);
  column_sums<float, 1, 1>(scratch, positions, 1, MadeUpTerm<value>{}, Keep{out, 1});
  REQUIRE(cudaStreamSynchronize(scratch.stream) == cudaSuccess);
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

TEST_CASE("column_sums: 10^8 positions and fewer keep the bound") {
  emulation::reset();
  CHECK(sum_of<test::one>(36'000'000) == 36e6);
  CHECK(error_of<test::one_and_some>(100'000'000) <= test::sum_bound(100'000'000));
  CHECK(error_of<test::mixed_value>(10'000'000) <= test::sum_bound(10'000'000));
}

TEST_CASE("column_sums: sums of columns, again and again with the same counters") {
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
    const SumScratch scratch = new_scratch(channels, 2);
    for (int round = 0; round < 3; ++round) {
      double* out = test::device_array<double>(2 * channels);
      column_sums<float, 4, 2>(
          scratch, positions, channels, DenseTerm{in, channels}, Keep{out, channels});
      REQUIRE(cudaStreamSynchronize(scratch.stream) == cudaSuccess);
      CHECK(test::host_copy(out, 2 * channels) == expected);
    }
    CHECK(emulation::counters().kernels == 3);
  }
}

}  // namespace cnnplan::cudnn
