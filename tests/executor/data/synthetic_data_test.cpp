// Tests that synthetic mini-batches do not depend on the split.
#include "executor/data/synthetic_data.hpp"

#include <array>
#include <cmath>
#include <type_traits>

#include <doctest/doctest.h>

#include "executor/backend/half.hpp"
#include "executor/comm/communicator.hpp"
#include "tests/executor/data/block_buffer.hpp"
#include "tests/executor/data/read_batch.hpp"

namespace cnnplan {
namespace {

const BatchShape batch{.samples = {{3, 2, 2, 9, 7}}, .labels = {{3, 1, 2, 9, 7}}, .classes = 4};

// Returns targets with the shape of the samples, so that the two can be compared.
BatchShape with_targets() {
  BatchShape fitted = batch;
  fitted.labels = fitted.samples;
  fitted.has_targets = true;
  return fitted;
}

TEST_CASE("SyntheticData: every split reads what one rank reads") {
  const Communicator world = Communicator::world();
  SyntheticData serial_source(batch, 5);
  BlockBuffer<float> serial(whole(batch.samples));
  BlockBuffer<std::int32_t> serial_labels(whole(batch.labels));
  test::read_batch(serial_source, 0, serial.view(), serial_labels.view());
  for (const Mesh& mesh : test_meshes(world.size())) {
    CAPTURE(to_text(mesh));
    SyntheticData source(batch, 5);
    BlockBuffer<float> block(Distribution(batch.samples, mesh).box(world.rank()), 1);
    BlockBuffer<std::int32_t> labels(Distribution(batch.labels, mesh).box(world.rank()), 2);
    for (std::int64_t step : {0, 1}) {
      test::read_batch(source, step, block.view(), labels.view());
      CHECK(differences(block, serial) == 0);
      CHECK(differences(labels, serial_labels) == 0);
      CHECK(block.untouched_count() == block.halo_count());
    }
  }
}

TEST_CASE("SyntheticData: every split reads what one rank reads of targets, too") {
  const Communicator world = Communicator::world();
  const BatchShape fitted = with_targets();
  BlockBuffer<float> serial_samples(whole(fitted.samples));
  BlockBuffer<float> serial(whole(fitted.labels));
  test::read_batch(SyntheticData(fitted, 5), 0, serial_samples.view(), serial.view());
  for (const Mesh& mesh : test_meshes(world.size())) {
    CAPTURE(to_text(mesh));
    SyntheticData source(fitted, 5);
    BlockBuffer<float> samples(Distribution(fitted.samples, mesh).box(world.rank()), 1);
    BlockBuffer<float> targets(Distribution(fitted.labels, mesh).box(world.rank()), 2);
    for (std::int64_t step : {0, 1}) {
      test::read_batch(source, step, samples.view(), targets.view());
      CHECK(differences(samples, serial_samples) == 0);
      CHECK(differences(targets, serial) == 0);
      CHECK(targets.untouched_count() == targets.halo_count());
    }
  }
}

TEST_CASE("SyntheticData: targets are not the samples, and stay float where those are 16-bit") {
  const BatchShape fitted = with_targets();
  BatchShape half = fitted;
  half.precision = Precision::bf16;
  BlockBuffer<float> samples(whole(fitted.samples));
  BlockBuffer<BFloat16> rounded(whole(fitted.samples));
  BlockBuffer<float> targets(whole(fitted.labels));
  BlockBuffer<float> same_targets(whole(fitted.labels));
  test::read_batch(SyntheticData(fitted, 1), 0, samples.view(), targets.view());
  test::read_batch(SyntheticData(half, 1), 0, rounded.view(), same_targets.view());
  CHECK(differences(targets, samples) > volume(fitted.samples) / 2);
  CHECK(differences(same_targets, targets) == 0);
}

TEST_CASE("SyntheticData: values are normal-like, labels cover the classes") {
  BatchShape large{.samples = {{8, 3, 1, 64, 64}}, .labels = {{8, 1, 1, 64, 64}}, .classes = 5};
  SyntheticData source(large, 1);
  BlockBuffer<float> samples(whole(large.samples));
  BlockBuffer<std::int32_t> labels(whole(large.labels));
  test::read_batch(source, 0, samples.view(), labels.view());
  double sum = 0.0;
  double squares = 0.0;
  for_each_index(samples.box(), [&](const Index& index) {
    const double value = samples.at(index);
    sum += value;
    squares += value * value;
  });
  const auto count = static_cast<double>(volume(large.samples));
  CHECK(std::abs(sum / count) < 0.02);
  CHECK(std::abs(squares / count - 1.0) < 0.02);
  std::array<int, 5> seen{};
  for_each_index(labels.box(), [&](const Index& index) {
    ++seen.at(static_cast<std::size_t>(labels.at(index)));
  });
  for (int times : seen) CHECK(times > 6000);
}

TEST_CASE("SyntheticData: another seed gives other samples, and double those of float") {
  BatchShape twice = batch;
  twice.precision = Precision::fp64;
  BlockBuffer<float> a(whole(batch.samples));
  BlockBuffer<float> b(whole(batch.samples));
  BlockBuffer<double> wide(whole(batch.samples));
  BlockBuffer<std::int32_t> labels(whole(batch.labels));
  test::read_batch(SyntheticData(batch, 1), 0, a.view(), labels.view());
  test::read_batch(SyntheticData(batch, 2), 0, b.view(), labels.view());
  test::read_batch(SyntheticData(twice, 1), 0, wide.view(), labels.view());
  CHECK(differences(a, b) > volume(batch.samples) / 2);
  CHECK(static_cast<float>(wide.at({2, 1, 1, 8, 6})) == a.at({2, 1, 1, 8, 6}));
}

TEST_CASE_TEMPLATE("SyntheticData: 16-bit samples are the rounded ones", T, BFloat16, Float16) {
  BatchShape half = batch;
  half.precision = std::is_same_v<T, BFloat16> ? Precision::bf16 : Precision::fp16;
  BlockBuffer<float> single(whole(batch.samples));
  BlockBuffer<T> rounded(whole(batch.samples));
  BlockBuffer<std::int32_t> labels(whole(batch.labels));
  test::read_batch(SyntheticData(batch, 1), 0, single.view(), labels.view());
  test::read_batch(SyntheticData(half, 1), 0, rounded.view(), labels.view());
  for_each_index(single.box(), [&](const Index& index) {
    CHECK(rounded.at(index).bits == T(single.at(index)).bits);
  });
}

}  // namespace
}  // namespace cnnplan
