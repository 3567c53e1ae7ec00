// Makes temporary HDF5 files that all ranks see, for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/hdf5/hdf5_dataset.hpp"

namespace cnnplan {

// Rank 0 makes the folder and removes it. Constructor and destructor are collective.
class SharedFolder {
 public:
  explicit SharedFolder(const Communicator& communicator);
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder();
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  const Communicator& communicator_;
  std::filesystem::path folder_;
};

struct TestAttribute {
  std::string name;
  std::vector<double> values;  // none: the attribute is a text
};

struct TestDataset {
  std::string name;
  FileElement element = FileElement::fp32;
  std::vector<std::int64_t> extents;
  std::vector<double> values;  // converted to `element` by HDF5
  std::vector<TestAttribute> attributes = {};
};

// Only the calling rank writes.
void write_datasets(const std::string& file, std::span<const TestDataset> datasets);
// Replaces a dataset of `file` by an external link to the dataset of that name in `other`.
void link_dataset_elsewhere(const std::string& file,
                            const std::string& dataset,
                            const std::string& other);

}  // namespace cnnplan
