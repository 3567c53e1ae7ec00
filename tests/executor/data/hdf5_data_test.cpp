// Tests Hdf5Data: blocks, order, normalisation, crops and targets.
#include "executor/data/hdf5_data.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/half.hpp"
#include "tests/executor/data/block_buffer.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/data/read_batch.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

// These volumes have a label per position.
const BatchShape volumes{.samples = {{2, 2, 3, 5, 4}}, .labels = {{2, 1, 3, 5, 4}}, .classes = 7};
std::vector<TestDataset> volume_file() {
  return {counted("/samples", FileElement::uint8, {5, 2, 3, 5, 4}, 251),
          counted("/labels", FileElement::int64, {5, 3, 5, 4}, 7)};
}

// These images have a label per pixel.
const BatchShape pixels{.samples = {{3, 1, 1, 7, 9}}, .labels = {{3, 1, 1, 7, 9}}, .classes = 2};
std::vector<TestDataset> pixel_file() {
  return {counted("/samples", FileElement::fp32, {7, 1, 7, 9}, 1 << 20),
          counted("/labels", FileElement::int32, {7, 7, 9}, 2)};
}

// Replaces the labels by targets, which may belong to images or to pixels.
BatchShape with_targets(BatchShape batch, const Shape& targets) {
  batch.labels = targets;
  batch.has_targets = true;
  return batch;
}
const BatchShape scores = with_targets(images, {{4, 6, 1, 1, 1}});
const BatchShape maps = with_targets(pixels, {{3, 2, 1, 7, 9}});

std::vector<TestDataset> with_targets(std::vector<TestDataset> datasets,
                                      const std::vector<std::int64_t>& extents) {
  datasets[1] = counted("/targets", FileElement::fp32, extents, 1 << 20);
  return datasets;
}

// Holds one whole mini-batch.
template <typename T, typename Label = std::int32_t>
struct Batch {
  explicit Batch(const BatchShape& shape)
      : samples(whole(shape.samples)), labels(whole(shape.labels)) {}
  BlockBuffer<T> samples;
  BlockBuffer<Label> labels;
};

template <typename T, typename Label = std::int32_t>
void check_splits(const BatchShape& batch,
                  std::span<const TestDataset> datasets,
                  const Augmentation& augmentation = {}) {
  const DataFile data(datasets);
  const int rank = data.world().rank();
  for (const SampleOrder& order : {shuffled, sequential}) {
    Hdf5Data source = data.open(batch, order, augmentation);
    for (const Mesh& mesh : test_meshes(data.world().size())) {
      CAPTURE(to_text(mesh));
      for (std::int64_t step = 0; step < 2 * source.step_count(); ++step) {
        Batch<T, Label> serial(batch);
        test::read_batch(source, step, serial.samples.view(), serial.labels.view());
        BlockBuffer<T> samples(Distribution(batch.samples, mesh).box(rank), 2);
        BlockBuffer<Label> labels(Distribution(batch.labels, mesh).box(rank), 1);
        test::read_batch(source, step, samples.view(), labels.view());
        CHECK(differences(samples, serial.samples) == 0);
        CHECK(differences(labels, serial.labels) == 0);
        CHECK(samples.untouched_count() == samples.halo_count());
        CHECK(labels.untouched_count() == labels.halo_count());
      }
    }
  }
}

TEST_CASE("Hdf5Data: every split reads what one rank reads") {
  check_splits<float>(images, image_file());
  check_splits<float>(volumes, volume_file());
  check_splits<float>(pixels, pixel_file());
  BatchShape wide = images;
  wide.precision = Precision::fp64;
  check_splits<double>(wide, image_file());
}

TEST_CASE("Hdf5Data: every split reads what one rank reads of targets, too") {
  check_splits<float, float>(scores, with_targets(image_file(), {11, 6}));
  check_splits<float, float>(maps, with_targets(pixel_file(), {7, 2, 7, 9}));
  BatchShape wide = scores;
  wide.precision = Precision::fp64;
  check_splits<double, double>(wide, with_targets(image_file(), {11, 6}));
}

constexpr Augmentation all_moved{.crops = true, .padding = 2, .mirrors = true};
constexpr Augmentation cropped{.crops = true, .mirrors = true};
constexpr Augmentation mirrored{.mirrors = true};

// Makes images of another size than `images`: larger ones for crops, or smaller ones for padding.
std::vector<TestDataset> other_images(std::int64_t rows, std::int64_t columns) {
  return {counted("/samples", FileElement::uint8, {11, 3, rows, columns}, 251),
          counted("/labels", FileElement::uint8, {11}, 10)};
}
std::vector<TestDataset> larger_volumes() {
  return {counted("/samples", FileElement::fp32, {5, 2, 4, 6, 9}, 1 << 20),
          counted("/labels", FileElement::int64, {5, 4, 6, 9}, 7)};
}
std::vector<TestDataset> larger_pixels() {
  return {counted("/samples", FileElement::fp32, {7, 1, 12, 10}, 1 << 20),
          counted("/labels", FileElement::int32, {7, 12, 10}, 2)};
}

TEST_CASE("Hdf5Data: every split reads what one rank reads of windows and mirror images") {
  check_splits<float>(images, other_images(8, 8), all_moved);
  check_splits<float>(images, other_images(4, 3), all_moved);
  check_splits<float>(images, image_file(), mirrored);
  check_splits<float>(volumes, larger_volumes(), cropped);
  check_splits<float>(pixels, larger_pixels(), cropped);
  check_splits<float, float>(
      maps,
      {{larger_pixels()[0], counted("/targets", FileElement::fp32, {7, 2, 12, 10}, 1 << 20)}},
      cropped);
}

TEST_CASE("Hdf5Data: a window has the stored values, and zeros in the padding") {
  const std::vector<TestDataset> datasets = other_images(4, 7);
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, shuffled, all_moved);
  int mirrored_count = 0;
  for (std::int64_t step = 0; step < 8; ++step) {
    Batch<float> batch(images);
    test::read_batch(source, step, batch.samples.view(), batch.labels.view());
    for (std::int64_t n = 0; n < 4; ++n) {
      // The label identifies the sample, since the first ten samples have different labels.
      const std::int64_t label = batch.labels.at({n, 0, 0, 0, 0});
      std::int64_t sample = 0;
      while (static_cast<std::int64_t>(datasets[1].values[static_cast<std::size_t>(sample)]) !=
             label) {
        ++sample;
      }
      if (sample == 0) continue;  // or the eleventh
      const WindowPlacement place =
          drawn(all_moved, {{1, 3, 1, 4, 7}}, images.samples, shuffled.seed, step / 2, sample);
      mirrored_count += place.mirrored ? 1 : 0;
      for_each_index({{{{n, n + 1}, {0, 3}, {0, 1}, {0, 6}, {0, 5}}}}, [&](const Index& at) {
        const std::int64_t row = place.first[1] + at[3];
        const std::int64_t column = place.first[2] + (place.mirrored ? 4 - at[4] : at[4]);
        const bool is_there = 0 <= row && row < 4 && 0 <= column && column < 7;
        const std::int64_t index = ((sample * 3 + at[1]) * 4 + row) * 7 + column;
        const double stored =
            is_there ? datasets[0].values[static_cast<std::size_t>(index)] / 255.0 : 0.0;
        CHECK(batch.samples.at(at) == relative(stored, 1e-6));
      });
    }
  }
  CHECK(mirrored_count > 4);
  CHECK(mirrored_count < 28);
}

TEST_CASE("Hdf5Data: labels per pixel stay with their pixels; tests see the middle") {
  std::vector<TestDataset> datasets = larger_pixels();
  for (std::size_t i = 0; i < datasets[1].values.size(); ++i) {
    datasets[0].values[i] = datasets[1].values[i];
  }
  const DataFile data(datasets);
  Hdf5Data source = data.open(pixels, shuffled, cropped);
  for (std::int64_t step = 0; step < 4; ++step) {
    Batch<float> batch(pixels);
    test::read_batch(source, step, batch.samples.view(), batch.labels.view());
    for_each_index(batch.samples.box(), [&](const Index& at) {
      CHECK(batch.samples.at(at) == static_cast<float>(batch.labels.at(at)));
    });
  }
  Hdf5Data middle = data.open(pixels, sequential, cropped);
  Batch<float> batch(pixels);
  test::read_batch(middle, 0, batch.samples.view(), batch.labels.view());
  for_each_index(batch.samples.box(), [&](const Index& at) {
    const std::int64_t index = (at[0] * 12 + at[3] + 2) * 10 + at[4];
    CHECK(batch.samples.at(at) ==
          static_cast<float>(datasets[0].values[static_cast<std::size_t>(index)]));
  });
}

TEST_CASE("Hdf5Data: samples that cannot be cropped are refused") {
  CHECK(DataFile(other_images(8, 8)).problem_of(images).allowed ==
        "float32 or uint8 (N >= 4, 3, 6, 5)");
  CHECK(DataFile(other_images(8, 4)).problem_of(images, shuffled, cropped).allowed ==
        "float32 or uint8 (N >= 4, 3, >= 6, >= 5)");
  CHECK(DataFile(other_images(1, 5)).problem_of(images, shuffled, all_moved).allowed ==
        "float32 or uint8 (N >= 4, 3, >= 2, >= 2)");
  CHECK(DataFile(larger_pixels()).problem_of(pixels, shuffled, all_moved).pointer == "/labels");
  BatchShape coarse = pixels;
  coarse.labels = {{3, 1, 1, 3, 3}};
  CHECK(DataFile(larger_pixels()).problem_of(coarse, shuffled, cropped).pointer == "/labels");
  std::vector<TestDataset> short_labels = larger_pixels();
  short_labels[1] = counted("/labels", FileElement::int32, {7, 7, 9}, 2);
  CHECK(DataFile(short_labels).problem_of(pixels, shuffled, cropped).allowed ==
        "uint8 or int32 or int64 (7, 12, 10)");
}

TEST_CASE("Hdf5Data: a value that is not a number is refused with its sample") {
  std::vector<TestDataset> datasets = with_targets(image_file(), {11, 6});
  datasets[0].values[5 * 90 + 7] = std::numeric_limits<double>::quiet_NaN();
  datasets[1].values[9 * 6 + 1] = std::numeric_limits<double>::infinity();
  const DataFile data(datasets);
  Hdf5Data source = data.open(scores, sequential);
  Batch<float, float> batch(scores);
  CHECK_NOTHROW(source.read_samples(0, batch.samples.view()));
  CHECK_THROWS_WITH_AS(source.read_samples(1, batch.samples.view()),
                       doctest::Contains("/samples: got a value of sample 5 that is not finite"),
                       InputError);
  CHECK_NOTHROW(source.read_labels(1, batch.labels.view()));
  CHECK_THROWS_WITH_AS(source.read_labels(2, batch.labels.view()),
                       doctest::Contains("/targets: got a value of sample 9 that is not finite"),
                       InputError);
}

TEST_CASE("Hdf5Data: a value that scaling makes infinite is refused with its sample") {
  std::vector<TestDataset> datasets = image_file();
  datasets[0].attributes = {{"std", {1e-36}}};  // values up to 340 stay finite in fp32
  for (double& value : datasets[0].values) value = 1.0;
  datasets[0].values[5 * 90 + 7] = 1e3;
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, sequential);
  Batch<float, std::int32_t> batch(images);
  CHECK_NOTHROW(source.read_samples(0, batch.samples.view()));
  CHECK_THROWS_WITH_AS(
      source.read_samples(1, batch.samples.view()),
      doctest::Contains(
          "/samples: got a value of sample 5 that is not finite after scaling by mean and std"),
      InputError);
}

TEST_CASE("Hdf5Data: targets come from the file, and are zero after its end") {
  const std::vector<TestDataset> datasets = with_targets(pixel_file(), {7, 2, 7, 9});
  const DataFile data(datasets);
  Hdf5Data source = data.open(maps, sequential);
  Batch<float, float> batch(maps);
  test::read_batch(source, 2, batch.samples.view(), batch.labels.view());
  const std::size_t place = ((6 * 2 + 1) * 7 + 3) * 9 + 5;  // sample 6, channel 1, row 3, column 5
  CHECK(batch.labels.at({0, 1, 0, 3, 5}) == static_cast<float>(datasets[1].values[place]));
  CHECK(batch.labels.at({1, 1, 0, 3, 5}) == 0.0F);
}

TEST_CASE_TEMPLATE("Hdf5Data: 16-bit samples are the rounded ones", T, BFloat16, Float16) {
  const DataFile data(image_file());
  BatchShape half = images;
  half.precision = std::is_same_v<T, BFloat16> ? Precision::bf16 : Precision::fp16;
  Batch<float> single(images);
  Batch<T> rounded(half);
  test::read_batch(data.open(images, sequential), 2, single.samples.view(), single.labels.view());
  test::read_batch(data.open(half, sequential), 2, rounded.samples.view(), rounded.labels.view());
  for_each_index(single.samples.box(), [&](const Index& index) {
    CHECK(rounded.samples.at(index).bits == T(single.samples.at(index)).bits);
  });
}

TEST_CASE_TEMPLATE("Hdf5Data: targets stay float where samples are 16-bit", T, BFloat16, Float16) {
  const std::vector<TestDataset> datasets = with_targets(image_file(), {11, 6});
  const DataFile data(datasets);
  BatchShape half = scores;
  half.precision = std::is_same_v<T, BFloat16> ? Precision::bf16 : Precision::fp16;
  Batch<float, float> single(scores);
  Batch<T, float> rounded(half);
  test::read_batch(data.open(scores, sequential), 1, single.samples.view(), single.labels.view());
  test::read_batch(data.open(half, sequential), 1, rounded.samples.view(), rounded.labels.view());
  for_each_index(single.samples.box(), [&](const Index& index) {
    CHECK(rounded.samples.at(index).bits == T(single.samples.at(index)).bits);
  });
  for_each_index(rounded.labels.box(), [&](const Index& index) {
    const auto place = static_cast<std::size_t>((4 + index[0]) * 6 + index[1]);
    CHECK(rounded.labels.at(index) == static_cast<float>(datasets[1].values[place]));
  });
}

TEST_CASE("Hdf5Data: sequential order is the order of the file, with zeros after its end") {
  const std::vector<TestDataset> datasets = image_file();
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, sequential);
  CHECK(source.sample_count() == 11);
  REQUIRE(source.step_count() == 3);
  CHECK(source.valid_count(1) == 4);
  CHECK(source.valid_count(2) == 3);
  for (std::int64_t step = 0; step < 3; ++step) {
    Batch<float> batch(images);
    test::read_batch(source, step, batch.samples.view(), batch.labels.view());
    for_each_index(batch.samples.box(), [&](const Index& at) {
      const std::int64_t place = step * 4 + at[0];
      const auto index = static_cast<std::size_t>(((place * 3 + at[1]) * 6 + at[3]) * 5 + at[4]);
      const double expected = place < 11 ? datasets[0].values[index] : 0.0;
      CHECK(batch.samples.at(at) == static_cast<float>(expected));
    });
    for (std::int64_t n = 0; n < 4; ++n) {
      const auto place = static_cast<std::size_t>(step * 4 + n);
      const double expected = place < 11 ? datasets[1].values[place] : 0.0;
      CHECK(batch.labels.at({n, 0, 0, 0, 0}) == static_cast<std::int32_t>(expected));
    }
  }
}

// Returns the first element of each sample in one pass. It identifies the sample.
std::vector<float> samples_of_pass(Hdf5Data& source, std::int64_t pass) {
  std::vector<float> seen;
  for (std::int64_t step = 0; step < source.step_count(); ++step) {
    Batch<float> batch(images);
    test::read_batch(
        source, pass * source.step_count() + step, batch.samples.view(), batch.labels.view());
    for (std::int64_t n = 0; n < 4; ++n) seen.push_back(batch.samples.at({n, 0, 0, 0, 0}));
  }
  return seen;
}

TEST_CASE("Hdf5Data: shuffled passes differ, repeat no sample and drop the partial mini-batch") {
  const DataFile data(image_file());
  Hdf5Data source = data.open(images, shuffled);
  CHECK(source.step_count() == 2);
  CHECK(source.valid_count(1) == 4);
  const std::vector<float> first = samples_of_pass(source, 0);
  const std::vector<float> second = samples_of_pass(source, 1);
  CHECK(std::set<float>(first.begin(), first.end()).size() == 8);
  CHECK(std::set<float>(second.begin(), second.end()).size() == 8);
  CHECK(first != second);
  Hdf5Data again = data.open(images, shuffled);
  CHECK(samples_of_pass(again, 1) == second);
  Hdf5Data other = data.open(images, {.shuffled = true, .seed = 4});
  CHECK(samples_of_pass(other, 0) != first);
}

TEST_CASE("Hdf5Data: labels stay with their samples when shuffled") {
  std::vector<TestDataset> datasets = image_file();
  for (std::size_t i = 0; i < 11; ++i) {
    datasets[0].values[i * 90] = datasets[1].values[i];
  }
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, shuffled);
  Batch<float> batch(images);
  test::read_batch(source, 1, batch.samples.view(), batch.labels.view());
  for (std::int64_t n = 0; n < 4; ++n) {
    const Index first{n, 0, 0, 0, 0};
    CHECK(batch.samples.at(first) == static_cast<float>(batch.labels.at(first)));
  }
}

TEST_CASE("Hdf5Data: uint8 is scaled by 1/255, then normalised by mean and std") {
  std::vector<TestDataset> datasets = image_file();
  datasets[0] = counted("/samples", FileElement::uint8, {11, 3, 6, 5}, 256);
  datasets[0].attributes = {{"mean", {0.5, 0.25, 0.125}}, {"std", {2.0}}};
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, sequential);
  Batch<float> batch(images);
  test::read_batch(source, 0, batch.samples.view(), batch.labels.view());
  const double stored = datasets[0].values[static_cast<std::size_t>((1 * 6 + 2) * 5 + 3)];
  CHECK(batch.samples.at({0, 1, 0, 2, 3}) == relative((stored / 255.0 - 0.25) / 2.0, 1e-6));
  CHECK(batch.samples.at({0, 2, 0, 0, 0}) ==
        relative((datasets[0].values[60] / 255.0 - 0.125) / 2.0, 1e-6));
}

}  // namespace
}  // namespace cnnplan
