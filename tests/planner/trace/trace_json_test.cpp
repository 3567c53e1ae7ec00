// Tests the text of a trace, its compression and its limit.
#include <array>
#include <string>

#include <doctest/doctest.h>
#include <zlib.h>

#include "planner/base/error.hpp"
#include "planner/trace/trace_file.hpp"

namespace cnnplan::test {
namespace {

EventTrace small_trace() {
  EventTrace trace;
  trace.name_process(1, "rank 0");
  trace.name_thread({1, 2}, "halo");
  const NameIndex name = trace.add_name({.name = "a\"b", .category = "halo", .layer = "conv1"});
  trace.add_operation({1, 2}, name, {.begin_ns = 1234, .work_begin_ns = 1234, .end_ns = 2005}, 64);
  trace.add_memory(1, 7, 4096);
  return trace;
}

std::string decompressed(std::string data) {
  z_stream stream{};
  constexpr int any_header = 15 + 32;
  REQUIRE(inflateInit2(&stream, any_header) == Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("trace_text: times are microseconds, names are quoted, and all comes in order") {
  const std::string text = trace_text(small_trace(), false);
  CHECK(has(text, R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0"}})"));
  CHECK(has(text, R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"halo"}})"));
  const std::string slice =
      R"({"ph":"X","pid":1,"tid":2,"ts":1.234,"dur":0.771,"name":"a\"b","cat":"halo",)"
      R"("args":{"layer":"conv1","sent bytes":64}})";
  const std::string counter =
      R"({"ph":"C","pid":1,"tid":0,"ts":0.007,"name":"memory","args":{"bytes":4096}})";
  CHECK(has(text, counter + ",\n" + slice));
}

TEST_CASE("trace_text: the compressed text is the text") {
  const std::string compressed = trace_text(small_trace(), true);
  CHECK(decompressed(compressed) == trace_text(small_trace(), false));
}

TEST_CASE("trace_text: a trace above the limit is refused, and says what helps") {
  const std::string text = trace_text(small_trace(), false);
  CHECK_NOTHROW(trace_text(small_trace(), false, std::ssize(text)));
  CHECK_THROWS_WITH_AS(trace_text(small_trace(), false, std::ssize(text) - 1),
                       doctest::Contains("--ranks 0:8"),
                       InfeasibleError);
  CHECK_THROWS_AS(trace_text(small_trace(), true, 10), InfeasibleError);
}

}  // namespace cnnplan::test
