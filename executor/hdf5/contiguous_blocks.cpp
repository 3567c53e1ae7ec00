// Reads pieces with pread, which does not move a file position that threads share.
#include "executor/hdf5/contiguous_blocks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <numeric>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/memory_units.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t few_pieces = 4;
// Small pieces are read at once, together with the bytes between them, up to this limit.
constexpr std::int64_t most_span_bytes = 64 << 10;

std::int64_t product(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

[[noreturn]] void refuse(const ContiguousLayout& layout, const std::string& cause) {
  throw IoError(layout.file + ": cannot read " + layout.dataset + ": " + cause);
}

// Moves to the next index within start and count, and returns false after the last one.
bool advance(std::span<std::int64_t> index,
             std::span<const std::int64_t> start,
             std::span<const std::int64_t> count) {
  for (std::size_t i = index.size(); i-- > 0;) {
    if (++index[i] < start[i] + count[i]) return true;
    index[i] = start[i];
  }
  return false;
}

}  // namespace

ContiguousBlocks::ContiguousBlocks(ContiguousLayout layout)
    : layout_(std::move(layout)), file_(std::fopen(layout_.file.c_str(), "rbe")) {
  if (file_ == nullptr) refuse(layout_, std::generic_category().message(errno));
}

std::size_t ContiguousBlocks::dims_in_piece(std::span<const std::int64_t> count) const {
  std::size_t dims = 0;
  while (dims < count.size()) {
    const std::size_t next = count.size() - 1 - dims;
    ++dims;
    if (count[next] != layout_.extents[next]) break;
  }
  return dims;
}

bool ContiguousBlocks::has_good_pieces(std::span<const std::int64_t> count) const {
  const std::size_t inner = dims_in_piece(count);
  return product(count.last(inner)) * layout_.element_bytes >= std::int64_t{page_bytes} ||
         product(count.first(count.size() - inner)) <= few_pieces;
}

std::int64_t ContiguousBlocks::span_bytes(std::span<const std::int64_t> count) const {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < count.size(); ++i) last = last * layout_.extents[i] + count[i] - 1;
  return (last + 1) * layout_.element_bytes;
}

bool ContiguousBlocks::suits(std::span<const std::int64_t> count) const {
  return has_good_pieces(count) || span_bytes(count) <= most_span_bytes;
}

std::int64_t ContiguousBlocks::position(std::span<const std::int64_t> index) const {
  std::int64_t element = 0;
  for (std::size_t i = 0; i < index.size(); ++i) element = element * layout_.extents[i] + index[i];
  return layout_.offset + element * layout_.element_bytes;
}

void ContiguousBlocks::read_piece(std::int64_t offset, std::int64_t bytes, std::byte* out) const {
  while (bytes > 0) {
    const ssize_t got = ::pread(fileno(file_.get()), out, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(layout_, std::generic_category().message(errno));
    if (got == 0) refuse(layout_, "the file ends before it");
    offset += got;
    bytes -= got;
    out += got;
  }
}

void ContiguousBlocks::read(std::span<const std::int64_t> start,
                            std::span<const std::int64_t> count,
                            void* out) const {
  if (product(count) == 0) return;
  const std::size_t outer = count.size() - dims_in_piece(count);
  const std::int64_t bytes = product(count.subspan(outer)) * layout_.element_bytes;
  std::vector<std::byte> around(has_good_pieces(count) ? 0 : span_bytes(count));
  const std::int64_t first = position(start);
  if (!around.empty()) read_piece(first, span_bytes(count), around.data());
  auto* to = static_cast<std::byte*>(out);
  std::vector<std::int64_t> index(start.begin(), start.end());
  do {
    const std::int64_t place = position(index);
    if (around.empty()) {
      read_piece(place, bytes, to);
    } else {
      std::copy_n(around.data() + (place - first), bytes, to);
    }
    to += bytes;
  } while (advance(std::span(index).first(outer), start, count));
}

}  // namespace cnnplan
