// Gives access to one dataset of an open HDF5 file: its type, its extents, and blocks of it.
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

// Names the element types that this project reads; `other` is every other type.
enum class FileElement { uint8, int32, int64, fp32, fp64, other };
// Returns "uint8", "float32" and so on, or "another type".
std::string to_text(FileElement element);
// Returns the bytes of one element. @pre element is not `other`
std::size_t size_of(FileElement element);

// Selects a dense block of a dataset: `count` elements from `start` on, with one entry per dim.
struct Selection {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> count;
};

struct Hdf5Call;

// Owns an open dataset. Calls of HDF5 that fail are IoErrors, which name file, dataset and cause.
class Hdf5Dataset {
 public:
  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  FileElement element() const { return element_; }
  // Returns true if the dataset is stored in chunks, which may be compressed.
  bool is_chunked() const { return chunk_bytes_ > 0; }
  // Returns the bytes of a chunk before compression; 0 if the dataset is not stored in chunks.
  std::int64_t chunk_bytes() const { return chunk_bytes_; }
  // Reads a block in row-major order, converted to elements of the type `memory`. Any thread may
  // call this. After read_directly(), it bypasses HDF5 for blocks that suit (ContiguousBlocks) and
  // need no conversion.
  // @pre out holds the product of selection.count elements of `memory`
  void read(const Selection& selection, FileElement memory, void* out) const;
  // Makes later reads bypass HDF5; nobody may write the file from now on. It has no effect on
  // datasets that are chunked, compressed or kept in other files, or whose elements need
  // conversion.
  void read_directly();
  // Reads the whole dataset in row-major order, converted to double.
  std::vector<double> read_all() const;
  // Writes a block of a file that is open for writing, converted from double.
  // @pre values.size() is the product of selection.count
  void write(const Selection& selection, std::span<const double> values);
  // Writes what HDF5 still buffers to the file, and reports errors that the destructor could not
  // report. Nothing may be used afterwards.
  void close();
  // Returns the values of an attribute, or nothing when the dataset lacks it.
  // @throws InputError for an attribute without values, or whose values are no numbers
  std::optional<std::vector<double>> attribute(const std::string& name) const;

 private:
  friend class Hdf5File;
  Hdf5Dataset(Hdf5Handle handle, std::string file, std::string name);
  // Describes a block twice: its place in the file, and dense in memory.
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
  std::int64_t chunk_bytes_ = 0;
  std::optional<ContiguousBlocks> direct_;
};

// Returns the extents as text: "(64, 3, 7, 7)".
std::string extents_text(std::span<const std::int64_t> extents);
// Returns the product of the extents. @throws InputError on overflow.
std::int64_t element_count(std::span<const std::int64_t> extents);

}  // namespace cnnplan
