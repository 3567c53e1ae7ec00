// Blocks of a dataset that lies in its file in one piece, read past HDF5: for samples of a few KiB
// a call of the library takes longer than their bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cnnplan {

// Where a dataset's elements lie, as they are in memory.
struct ContiguousLayout {
  std::string file;
  std::string dataset;      // for messages
  std::int64_t offset = 0;  // in the file, bytes
  std::int64_t element_bytes = 0;
  std::vector<std::int64_t> extents;
};

class ContiguousBlocks {
 public:
  // Opens the file. @throws IoError
  explicit ContiguousBlocks(ContiguousLayout layout);

  // False where the block is many pieces of less than a page, far from each other: HDF5 reads
  // around these at once.
  bool suits(std::span<const std::int64_t> count) const;
  // Row-major. From any thread. @pre the block lies in the extents; `out` holds it
  // @throws IoError, also where the file ends before the block
  void read(std::span<const std::int64_t> start,
            std::span<const std::int64_t> count,
            void* out) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  // How many of the innermost dims make one piece of the file.
  std::size_t dims_in_piece(std::span<const std::int64_t> count) const;
  bool has_good_pieces(std::span<const std::int64_t> count) const;
  // From the first element of a block to the last.
  std::int64_t span_bytes(std::span<const std::int64_t> count) const;
  std::int64_t position(std::span<const std::int64_t> index) const;
  void read_piece(std::int64_t offset, std::int64_t bytes, std::byte* out) const;

  ContiguousLayout layout_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace cnnplan
