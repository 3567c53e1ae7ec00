// What tests of many cases do where every case takes long.
#pragma once

namespace cnnplan::test {

// With assertions and sanitizers everything takes about ten times as long; fewer cases then still
// pass through all of the code, and the optimised build has them all.
#ifdef NDEBUG
constexpr bool is_slow_build = false;
#else
constexpr bool is_slow_build = true;
#endif

}  // namespace cnnplan::test
