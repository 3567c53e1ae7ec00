// Hdf5Data: blocks, order, normalisation, and files that do not fit.
#include "executor/training/hdf5_data.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include <doctest/doctest.h>

#include "executor/comm/communicator.hpp"
#include "planner/model/error.hpp"
#include "tests/executor/training/block_buffer.hpp"
#include "tests/executor/training/hdf5_fixture.hpp"

namespace cnnplan {
namespace {

constexpr SampleOrder shuffled{.shuffled = true, .seed = 3};
constexpr SampleOrder sequential{.shuffled = false};

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// Values that tell every element apart, below `modulus`.
TestDataset counted(const std::string& name,
                    FileElement element,
                    const std::vector<std::int64_t>& extents,
                    std::int64_t modulus) {
  TestDataset dataset{.name = name, .element = element, .extents = extents, .values = {}};
  for (std::int64_t i = 0; i < product(extents); ++i) {
    dataset.values.push_back(static_cast<double>(i * 7 % modulus));
  }
  return dataset;
}

// 2-D, per image: 11 samples of 3 channels, 6 x 5, in mini-batches of 4.
const BatchShape images{.samples = {{4, 3, 1, 6, 5}}, .labels = {{4, 1, 1, 1, 1}}, .classes = 10};
std::vector<TestDataset> image_file() {
  return {counted("/samples", FileElement::fp32, {11, 3, 6, 5}, 1 << 20),
          counted("/labels", FileElement::uint8, {11}, 10)};
}

// 3-D, per position.
const BatchShape volumes{.samples = {{2, 2, 3, 5, 4}}, .labels = {{2, 1, 3, 5, 4}}, .classes = 7};
std::vector<TestDataset> volume_file() {
  return {counted("/samples", FileElement::uint8, {5, 2, 3, 5, 4}, 251),
          counted("/labels", FileElement::int64, {5, 3, 5, 4}, 7)};
}

// 2-D, per pixel.
const BatchShape pixels{.samples = {{3, 1, 1, 7, 9}}, .labels = {{3, 1, 1, 7, 9}}, .classes = 2};
std::vector<TestDataset> pixel_file() {
  return {counted("/samples", FileElement::fp32, {7, 1, 7, 9}, 1 << 20),
          counted("/labels", FileElement::int32, {7, 7, 9}, 2)};
}

class DataFile {
 public:
  explicit DataFile(std::span<const TestDataset> datasets)
      : world_(Communicator::world()), folder_(world_), file_(folder_.path("data.h5")) {
    if (world_.rank() == 0) write_datasets(file_, datasets);
    world_.barrier();
  }
  const Communicator& world() const { return world_; }
  const std::string& file() const { return file_; }
  Hdf5Data open(const BatchShape& batch, const SampleOrder& order) const {
    return Hdf5Data(file_, batch, order, world_);
  }
  InputProblem problem_of(const BatchShape& batch, const SampleOrder& order = shuffled) const {
    try {
      open(batch, order);
    } catch (const InputError& error) {
      return error.problem();
    }
    return {};
  }

 private:
  Communicator world_;
  SharedFolder folder_;
  std::string file_;
};

// One whole mini-batch.
template <typename T>
struct Batch {
  explicit Batch(const BatchShape& shape)
      : samples(whole(shape.samples)), labels(whole(shape.labels)) {}
  BlockBuffer<T> samples;
  BlockBuffer<std::int32_t> labels;
};

template <typename T>
void check_splits(const BatchShape& batch, std::span<const TestDataset> datasets) {
  const DataFile data(datasets);
  const int rank = data.world().rank();
  for (const SampleOrder& order : {shuffled, sequential}) {
    Hdf5Data source = data.open(batch, order);
    for (const Mesh& mesh : test_meshes(data.world().size())) {
      CAPTURE(to_text(mesh));
      for (std::int64_t step = 0; step < 2 * source.step_count(); ++step) {
        Batch<T> serial(batch);
        source.read(step, serial.samples.view(), serial.labels.view());
        BlockBuffer<T> samples(Distribution(batch.samples, mesh).box(rank), 2);
        BlockBuffer<std::int32_t> labels(Distribution(batch.labels, mesh).box(rank), 1);
        source.read(step, samples.view(), labels.view());
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

TEST_CASE("Hdf5Data: sequential order is the order of the file, the rest is zero") {
  const std::vector<TestDataset> datasets = image_file();
  const DataFile data(datasets);
  Hdf5Data source = data.open(images, sequential);
  CHECK(source.sample_count() == 11);
  REQUIRE(source.step_count() == 3);
  CHECK(source.valid_count(1) == 4);
  CHECK(source.valid_count(2) == 3);
  for (std::int64_t step = 0; step < 3; ++step) {
    Batch<float> batch(images);
    source.read(step, batch.samples.view(), batch.labels.view());
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

// First elements, which tell samples apart, of one pass.
std::vector<float> samples_of_pass(Hdf5Data& source, std::int64_t pass) {
  std::vector<float> seen;
  for (std::int64_t step = 0; step < source.step_count(); ++step) {
    Batch<float> batch(images);
    source.read(pass * source.step_count() + step, batch.samples.view(), batch.labels.view());
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
  source.read(1, batch.samples.view(), batch.labels.view());
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
  source.read(0, batch.samples.view(), batch.labels.view());
  const double stored = datasets[0].values[static_cast<std::size_t>((1 * 6 + 2) * 5 + 3)];
  CHECK(batch.samples.at({0, 1, 0, 2, 3}) == doctest::Approx((stored / 255.0 - 0.25) / 2.0));
  CHECK(batch.samples.at({0, 2, 0, 0, 0}) ==
        doctest::Approx((datasets[0].values[60] / 255.0 - 0.125) / 2.0));
}

TEST_CASE("Hdf5Data: a dataset that does not fit is named with what was found") {
  struct Case {
    std::size_t replaced;
    TestDataset by;
    const char* pointer;
    const char* value;
    const char* allowed;
  };
  const char* samples = "float32 or uint8 (N >= 4, 3, 6, 5)";
  const char* labels = "uint8 or int32 or int64 (11)";
  const std::vector<Case> cases{
      {0,
       counted("/samples", FileElement::fp32, {11, 3, 6, 4}, 9),
       "/samples",
       "float32 (11, 3, 6, 4)",
       samples},
      {0,
       counted("/samples", FileElement::fp32, {11, 3, 1, 6, 5}, 9),
       "/samples",
       "float32 (11, 3, 1, 6, 5)",
       samples},
      {0,
       counted("/samples", FileElement::int32, {11, 3, 6, 5}, 9),
       "/samples",
       "int32 (11, 3, 6, 5)",
       samples},
      {0,
       counted("/samples", FileElement::fp32, {3, 3, 6, 5}, 9),
       "/samples",
       "3 samples",
       "at least 4"},
      {0,
       counted("/images", FileElement::fp32, {11, 3, 6, 5}, 9),
       "/samples",
       "no such dataset",
       samples},
      {1, counted("/targets", FileElement::uint8, {11}, 9), "/labels", "no such dataset", labels},
      {1, counted("/labels", FileElement::uint8, {10}, 9), "/labels", "(10)", labels},
      {1, counted("/labels", FileElement::fp32, {11}, 9), "/labels", "float32 (11)", labels},
      {1,
       counted("/labels", FileElement::uint8, {11, 6, 5}, 9),
       "/labels",
       "uint8 (11, 6, 5)",
       labels},
  };
  for (const Case& wrong : cases) {
    CAPTURE(wrong.value);
    std::vector<TestDataset> datasets = image_file();
    datasets[wrong.replaced] = wrong.by;
    const DataFile data(datasets);
    const InputProblem problem = data.problem_of(images);
    CHECK(problem.file == data.file());
    CHECK(problem.pointer == wrong.pointer);
    CHECK(problem.value == wrong.value);
    CHECK(problem.allowed == wrong.allowed);
  }
}

TEST_CASE("Hdf5Data: all ranks learn of one label out of range") {
  for (const double wrong : {10.0, -1.0}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{10}}) {
      std::vector<TestDataset> datasets = image_file();
      datasets[1].element = FileElement::int64;
      datasets[1].values[place] = wrong;
      const DataFile data(datasets);
      const InputProblem problem = data.problem_of(images);
      CHECK(problem.file == data.file());
      CHECK(problem.pointer == "/labels");
      CHECK(problem.value == std::to_string(static_cast<int>(wrong)));
      CHECK(problem.allowed == "labels in [0, 10)");
    }
  }
}

TEST_CASE("Hdf5Data: labels are checked to the end of a long file") {
  constexpr std::int64_t count = (1 << 20) + 5;
  const BatchShape scalars{.samples = {{4, 1, 1, 1, 1}}, .labels = {{4, 1, 1, 1, 1}}, .classes = 9};
  const auto values = static_cast<std::size_t>(count);
  for (const std::int64_t place : {count - 5, count - 1}) {
    TestDataset labels{"/labels", FileElement::uint8, {count}, std::vector<double>(values, 8.0)};
    labels.values[static_cast<std::size_t>(place)] = 9.0;
    const std::vector<TestDataset> datasets{
        {"/samples", FileElement::uint8, {count, 1, 1, 1}, std::vector<double>(values, 1.0)},
        labels};
    const DataFile data(datasets);
    CHECK(data.problem_of(scalars).value == "9");
  }
}

TEST_CASE("Hdf5Data: attributes are checked") {
  const std::vector<std::pair<TestAttribute, std::string>> cases{
      {{"mean", {0.1, 0.2}}, "2 values"},
      {{"std", {1.0, 0.0, 1.0}}, "3 values, not all in range"},
  };
  for (const auto& [attribute, value] : cases) {
    std::vector<TestDataset> datasets = image_file();
    datasets[0].attributes = {attribute};
    const DataFile data(datasets);
    const InputProblem problem = data.problem_of(images);
    CHECK(problem.pointer == "/samples/" + attribute.name);
    CHECK(problem.value == value);
  }
}

std::string io_message(const DataFile& data, const std::string& file) {
  try {
    Hdf5Data(file, images, shuffled, data.world());
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Hdf5Data: missing, truncated and foreign files are named") {
  const DataFile data(image_file());
  const std::string missing = data.file() + ".missing";
  CHECK(io_message(data, missing) == missing + ": no such file");

  if (data.world().rank() == 0) {
    std::filesystem::resize_file(data.file(), std::filesystem::file_size(data.file()) / 2);
  }
  data.world().barrier();
  const std::string truncated = io_message(data, data.file());
  CHECK(truncated.find(data.file() + ": cannot open: truncated file") == 0);
  data.world().barrier();

  if (data.world().rank() == 0) std::filesystem::resize_file(data.file(), 4);
  data.world().barrier();
  CHECK(io_message(data, data.file()).find(data.file() + ": cannot open: ") == 0);
}

}  // namespace
}  // namespace cnnplan
