// Reads and writes named tensors in HDF5 files: weights, and dumps of gradients, outputs and loss.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executor/hdf5/hdf5_file.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {

// Returns the name that a tensor of a layer has in a file: "/conv1/weight",
// "/conv1/weight_gradient", "/bn1/mean", "/conv1/output".
std::string tensor_name(std::string_view layer, std::string_view tensor);

// Returns the extents that a tensor of this shape has in a file: (N, C, H, W), or (N, C, D, H, W)
// if D > 1. The shapes of weights, (F, C/groups, KD, KH, KW), follow this rule, too.
std::vector<std::int64_t> stored_extents(const Shape& shape);

// Returns the place that a block of a tensor of `shape` has in its dataset.
Selection stored_selection(const Shape& shape, const Box& block);

// Writes to a temporary file next to `file` and renames it in finish(). Until then, `file` is
// absent or what it was before. One rank writes, after gathering.
class TensorFileWriter {
 public:
  // Opens the temporary file. @throws IoError, also if `file` is a device
  explicit TensorFileWriter(const std::string& file);
  TensorFileWriter(const TensorFileWriter&) = delete;
  TensorFileWriter& operator=(const TensorFileWriter&) = delete;
  // The destructor removes the temporary file unless finish() was called.
  ~TensorFileWriter();

  // Writes values in row-major order as float32 or float64.
  // @pre no tensor of that name was written
  // @throws IoError
  void write(const std::string& name,
             std::span<const std::int64_t> extents,
             std::span<const double> values,
             Precision precision);
  // Creates a tensor that is written block by block and closed before finish(). @throws IoError
  Hdf5Dataset create(const std::string& name,
                     std::span<const std::int64_t> extents,
                     Precision precision);
  // Closes the file and gives it its name. @throws IoError
  void finish();

 private:
  std::string file_;
  std::string partial_;
  Hdf5File hdf5_;
  bool finished_ = false;
};

// Reads tensors of one file by their names.
class TensorFileReader {
 public:
  // Opens the file. @throws IoError; InputError when it is no regular file
  explicit TensorFileReader(const std::string& file) : hdf5_(Hdf5File::open(file)) {}

  const std::string& file() const { return hdf5_.file(); }
  // True if the file has a dataset of this name. @throws as Hdf5File::find()
  bool has(const std::string& name) const { return hdf5_.find(name).has_value(); }
  // Reads a tensor in row-major order.
  // @throws InputError (pointer `name`) when it is missing, lies in another file, has other
  // extents, or has elements other than float32 and float64; IoError
  std::vector<double> read(const std::string& name, std::span<const std::int64_t> extents) const;
  // Reads a block of the tensor, which may be empty. @throws as the function above
  std::vector<double> read(const std::string& name,
                           std::span<const std::int64_t> extents,
                           const Selection& block) const;

 private:
  Hdf5Dataset checked(const std::string& name, std::span<const std::int64_t> extents) const;

  Hdf5File hdf5_;
};

}  // namespace cnnplan
