// Says whether the build is slow, so that tests of many cases try fewer of them.
#pragma once

namespace cnnplan::test {

// With assertions and sanitizers, everything takes about ten times as long. Fewer cases then still
// pass through all of the code, and the optimised build runs all cases.
#ifdef NDEBUG
constexpr bool is_slow_build = false;
#else
constexpr bool is_slow_build = true;
#endif

}  // namespace cnnplan::test
