// A dataset of an open HDF5 file: its type and extents, and reads of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor/hdf5/contiguous_blocks.hpp"
#include "executor/hdf5/hdf5_handle.hpp"

namespace cnnplan {

// What a dataset's elements are; `other` is whatever this project does not read.
enum class FileElement { uint8, int32, int64, fp32, fp64, other };
// "uint8", "float32", ...; "another type".
std::string to_text(FileElement element);
// @pre element is not `other`
std::size_t size_of(FileElement element);

// Dense block of a dataset, one entry per dim.
struct Selection {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> count;
};

struct Hdf5Call;

class Hdf5Dataset {
 public:
  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  FileElement element() const { return element_; }
  // Stored in chunks, perhaps compressed ones.
  bool is_chunked() const { return is_chunked_; }
  // Row-major, converted to `memory`. From any thread; past HDF5 where read_directly() was called
  // and suits the block.
  // @pre out holds the product of selection.count elements of `memory`
  void read(const Selection& selection, FileElement memory, void* out) const;
  // From now on. Nobody may write the file. Without effect where the dataset is chunked,
  // compressed, kept in other files, or of elements that are not as they are in memory.
  void read_directly();
  std::vector<double> read_all() const;
  // The same of a file that is open for writing, converted from double.
  // @pre values.size() is the product of selection.count
  void write(const Selection& selection, std::span<const double> values);
  // Small blocks reach the file only here: reports what the destructor could not. Nothing may be
  // used after it.
  void close();
  // Absent when the dataset has no such attribute.
  std::optional<std::vector<double>> attribute(const std::string& name) const;

 private:
  friend class Hdf5File;
  Hdf5Dataset(Hdf5Handle handle, std::string file, std::string name);
  // Of a block: where it is in the file, and dense.
  struct Spaces {
    Hdf5Handle file;
    Hdf5Handle memory;
  };
  Spaces select(const Selection& selection, const Hdf5Call& call) const;

  Hdf5Handle handle_;
  std::string file_;
  std::string name_;
  std::vector<std::int64_t> extents_;
  FileElement element_ = FileElement::other;
  bool is_chunked_ = false;
  std::optional<ContiguousBlocks> direct_;
};

// "(64, 3, 7, 7)"
std::string extents_text(std::span<const std::int64_t> extents);
// Product of the extents. @throws InputError on overflow.
std::int64_t element_count(std::span<const std::int64_t> extents);

}  // namespace cnnplan
