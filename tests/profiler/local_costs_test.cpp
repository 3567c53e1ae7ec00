// Tests how many bytes are exchanged while work hides them.
#include "profiler/local_costs.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

// Returns the bytes for a link of this rate, in bytes per second.
std::int64_t bytes_at(double rate, const OverlapLimits& limits) {
  return overlapped_bytes(limits,
                          [rate](std::int64_t bytes) { return static_cast<double>(bytes) / rate; });
}

}  // namespace

TEST_CASE("overlapped_bytes: a fast link exchanges as much as it may") {
  CHECK(bytes_at(10e9, {.most_bytes = 16 * mib, .most_s = 6.0}) == 16 * mib);
  CHECK(bytes_at(10e9, {.most_bytes = 64 * mib, .most_s = 6.0}) == 16 * mib);
  CHECK(bytes_at(10e9, {.most_bytes = 8, .most_s = 6.0}) == 8);
}

TEST_CASE("overlapped_bytes: on a slow link, sixty exchanges take at most the time") {
  const OverlapLimits limits{.most_bytes = 16 * mib, .most_s = 6.0};
  const double rate = 12.5e6;  // 100 Mbit/s
  const std::int64_t bytes = bytes_at(rate, limits);
  CHECK(bytes == mib);
  CHECK(60 * static_cast<double>(bytes) / rate <= limits.most_s);
  CHECK(60 * 2.0 * static_cast<double>(bytes) / rate > limits.most_s);
}

TEST_CASE("overlapped_bytes: without time, 64 KiB are exchanged") {
  CHECK(bytes_at(12.5e6, {.most_bytes = 16 * mib, .most_s = 1e-6}) == mib / 16);
}

}  // namespace cnnplan
