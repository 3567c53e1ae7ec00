// Tests where lines are broken.
#include "planner/summary/wrapped.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("wrapped: lines are broken between words and indented as the name") {
  CHECK(wrapped("why ", "one two three", 12) == "why one two\n    three\n");
  CHECK(wrapped("", "one two", 7) == "one two\n");
  CHECK(wrapped("", "a longerword b", 5) == "a\nlongerword\nb\n");
}

}  // namespace cnnplan
