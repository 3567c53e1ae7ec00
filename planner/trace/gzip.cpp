// Passes text through a stream of zlib.
#include "planner/trace/gzip.hpp"

#include <array>
#include <stdexcept>

#include <zlib.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// These values of zlib's manual mean the largest window, with the header of gzip in place of
// zlib's.
constexpr int window_bits = 15;
constexpr int gzip_header = 16;
constexpr int memory_level = 8;

void deflate_all(z_stream& stream, int flush, std::string& output) {
  std::array<char, 65536> part{};
  do {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    if (deflate(&stream, flush) == Z_STREAM_ERROR) throw std::logic_error("zlib: wrong stream");
    output.append(part.data(), part.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

}  // namespace

struct Gzip::State {
  z_stream stream{};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  const int result = deflateInit2(&state_->stream,
                                  Z_DEFAULT_COMPRESSION,
                                  Z_DEFLATED,
                                  window_bits + gzip_header,
                                  memory_level,
                                  Z_DEFAULT_STRATEGY);
  if (result == Z_MEM_ERROR) throw OutOfMemoryError("zlib lacks memory to compress");
  if (result != Z_OK) throw std::logic_error("zlib refuses its parameters");
}

Gzip::~Gzip() {
  deflateEnd(&state_->stream);
}

void Gzip::add(std::string_view text, std::string& output) {
  // zlib reads the text only, although its interface says otherwise.
  state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state_->stream.avail_in = static_cast<uInt>(text.size());
  deflate_all(state_->stream, Z_NO_FLUSH, output);
}

void Gzip::end(std::string& output) {
  state_->stream.avail_in = 0;
  deflate_all(state_->stream, Z_FINISH, output);
}

}  // namespace cnnplan
