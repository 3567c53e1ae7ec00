// HDF5 files and datasets. Every failure is an IoError that names file, dataset and cause.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "executor/hdf5/hdf5_dataset.hpp"
#include "executor/hdf5/hdf5_handle.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

class Hdf5File {
 public:
  // For reading; any number of ranks may have it open.
  static Hdf5File open(const std::string& file);
  // Empties a file that is there.
  static Hdf5File create(const std::string& file);

  const std::string& file() const { return file_; }
  // By absolute path, "/conv1/weight"; absent when there is no such dataset.
  std::optional<Hdf5Dataset> find(const std::string& name) const;
  // A dataset to be written block by block. Creates the groups on the way; float64 for fp64, else
  // float32.
  Hdf5Dataset create_dataset(const std::string& name,
                             std::span<const std::int64_t> extents,
                             Precision precision);
  // The same, whole. @pre values.size() is the product of extents
  void write(const std::string& name,
             std::span<const std::int64_t> extents,
             std::span<const double> values,
             Precision precision);
  // Reports what the destructor could not. Nothing may be used after it.
  void close();

 private:
  Hdf5File(Hdf5Handle handle, std::string file)
      : handle_(std::move(handle)), file_(std::move(file)) {}

  Hdf5Handle handle_;
  std::string file_;
};

}  // namespace cnnplan
