// Writes data files for tests, and returns the errors of opening them.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/data/hdf5_data.hpp"
#include "planner/base/error.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"

namespace cnnplan {

inline constexpr SampleOrder shuffled{.shuffled = true, .seed = 3};
inline constexpr SampleOrder sequential{.shuffled = false};

inline std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// Makes a dataset whose values differ from each other as far as `modulus` allows.
inline TestDataset counted(const std::string& name,
                           FileElement element,
                           const std::vector<std::int64_t>& extents,
                           std::int64_t modulus) {
  TestDataset dataset{.name = name, .element = element, .extents = extents, .values = {}};
  for (std::int64_t i = 0; i < product(extents); ++i) {
    dataset.values.push_back(static_cast<double>(i * 7 % modulus));
  }
  return dataset;
}

// These images have a label each: 11 samples of 3 channels, 6 x 5, in mini-batches of 4.
inline const BatchShape images{
    .samples = {{4, 3, 1, 6, 5}}, .labels = {{4, 1, 1, 1, 1}}, .classes = 10};
inline std::vector<TestDataset> image_file() {
  return {counted("/samples", FileElement::fp32, {11, 3, 6, 5}, 1 << 20),
          counted("/labels", FileElement::uint8, {11}, 10)};
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
  Hdf5Data open(const BatchShape& batch,
                const SampleOrder& order,
                const Augmentation& augmentation = {}) const {
    return Hdf5Data(file_, batch, order, world_, Labels::with, augmentation);
  }
  InputProblem problem_of(const BatchShape& batch,
                          const SampleOrder& order = shuffled,
                          const Augmentation& augmentation = {}) const {
    try {
      open(batch, order, augmentation);
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

}  // namespace cnnplan
