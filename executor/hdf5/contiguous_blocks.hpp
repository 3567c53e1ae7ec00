// Reads blocks of a contiguous dataset from its file without HDF5. For samples of a few KiB, a call
// of the library takes longer than copying their bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cnnplan {

// Says where a dataset's elements lie in the file; they are stored as they are in memory.
struct ContiguousLayout {
  std::string file;
  std::string dataset;      // for messages
  std::int64_t offset = 0;  // of the first element, in bytes from the start of the file
  std::int64_t element_bytes = 0;
  std::vector<std::int64_t> extents;  // of the dataset, by dim
};

// Reads blocks of one dataset. Several threads may read at the same time.
class ContiguousBlocks {
 public:
  // Opens the file. @throws IoError
  explicit ContiguousBlocks(ContiguousLayout layout);

  // Returns false if HDF5 should read a block with these counts. This is so if it consists of more
  // than 4 pieces, each smaller than a page, that do not lie within 64 KiB, because HDF5 reads the
  // bytes around such pieces at once.
  bool suits(std::span<const std::int64_t> count) const;
  // Reads the block that begins at `start` and has `count` elements, both by dim, in row-major
  // order.
  // @pre the block lies in the extents; `out` has room for it
  // @throws IoError, also when the file ends before the block
  void read(std::span<const std::int64_t> start,
            std::span<const std::int64_t> count,
            void* out) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  // Returns how many of the innermost dims form one contiguous piece of the file.
  std::size_t dims_in_piece(std::span<const std::int64_t> count) const;
  bool has_good_pieces(std::span<const std::int64_t> count) const;
  // Returns the bytes from the first element of a block to the last.
  std::int64_t span_bytes(std::span<const std::int64_t> count) const;
  std::int64_t position(std::span<const std::int64_t> index) const;
  void read_piece(std::int64_t offset, std::int64_t bytes, std::byte* out) const;

  ContiguousLayout layout_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace cnnplan
