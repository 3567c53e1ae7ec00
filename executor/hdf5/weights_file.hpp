// Named tensors in HDF5 files: weights, and dumps of gradients, outputs and loss.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executor/hdf5/hdf5_file.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {

// "/conv1/weight", "/conv1/weight_gradient", "/bn1/mean", "/conv1/output".
std::string tensor_name(std::string_view layer, std::string_view tensor);

// As stored: (N, C, H, W), or (N, C, D, H, W) where D > 1; weights likewise.
std::vector<std::int64_t> stored_extents(const Shape& shape);

// The same of a block of a tensor of `shape`.
Selection stored_selection(const Shape& shape, const Box& block);

// Writes beside the file and renames in finish(): the file is there whole or not at all. For one
// rank, after gathering.
class TensorFileWriter {
 public:
  // @throws IoError
  explicit TensorFileWriter(const std::string& file);
  TensorFileWriter(const TensorFileWriter&) = delete;
  TensorFileWriter& operator=(const TensorFileWriter&) = delete;
  // Removes what was written unless it was finished.
  ~TensorFileWriter();

  // Row-major; stored as float32 or float64. @pre no tensor of that name was written
  // @throws IoError
  void write(const std::string& name,
             std::span<const std::int64_t> extents,
             std::span<const double> values,
             Precision precision);
  // A tensor to be written block by block; to be closed before finish(). @throws IoError
  Hdf5Dataset create(const std::string& name,
                     std::span<const std::int64_t> extents,
                     Precision precision);
  // @throws IoError
  void finish();

 private:
  std::string file_;
  std::string partial_;
  Hdf5File hdf5_;
  bool finished_ = false;
};

class TensorFileReader {
 public:
  // @throws IoError
  explicit TensorFileReader(const std::string& file) : hdf5_(Hdf5File::open(file)) {}

  const std::string& file() const { return hdf5_.file(); }
  bool has(const std::string& name) const { return hdf5_.find(name).has_value(); }
  // Row-major. @throws InputError (pointer `name`) when it is missing, of other extents or no
  // numbers; IoError
  std::vector<double> read(const std::string& name, std::span<const std::int64_t> extents) const;
  // A block of it, which may be empty.
  std::vector<double> read(const std::string& name,
                           std::span<const std::int64_t> extents,
                           const Selection& block) const;

 private:
  Hdf5Dataset checked(const std::string& name, std::span<const std::int64_t> extents) const;

  Hdf5File hdf5_;
};

}  // namespace cnnplan
