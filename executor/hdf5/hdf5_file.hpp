// Opens and creates HDF5 files and finds their datasets. A failure of HDF5 is an IoError that names
// file, dataset and cause.
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

// Owns an open file.
class Hdf5File {
 public:
  // Opens a file for reading; any number of ranks may have it open.
  // @throws IoError; InputError when it is no regular file
  static Hdf5File open(const std::string& file);
  // Creates an empty file, in place of an existing one. @throws IoError
  static Hdf5File create(const std::string& file);

  const std::string& file() const { return file_; }
  // Finds a dataset by absolute path ("/conv1/weight"); returns nothing when it does not exist.
  // Nothing outside the file is opened.
  // @throws InputError (pointer `name`) when the path or the elements lead to another file, or when
  // the path ends at something else than a dataset
  std::optional<Hdf5Dataset> find(const std::string& name) const;
  // Creates a dataset that is written block by block, and the groups above it. Its elements are
  // float64 for fp64, else float32.
  Hdf5Dataset create_dataset(const std::string& name,
                             std::span<const std::int64_t> extents,
                             Precision precision);
  // Creates a dataset and writes all of it. @pre values.size() is the product of extents
  void write(const std::string& name,
             std::span<const std::int64_t> extents,
             std::span<const double> values,
             Precision precision);
  // Closes the file, and reports errors that the destructor could not. Nothing may be used
  // afterwards.
  void close();

 private:
  Hdf5File(Hdf5Handle handle, std::string file)
      : handle_(std::move(handle)), file_(std::move(file)) {}

  Hdf5Handle handle_;
  std::string file_;
};

}  // namespace cnnplan
