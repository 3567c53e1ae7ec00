// Tests where text is broken into lines.
#include "planner/base/wrapped_text.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {

using Lines = std::vector<std::string>;

TEST_CASE("wrapped text: a line takes as many words as fit exactly") {
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 6) == Lines{"one", "two", "three"});
}

TEST_CASE("wrapped text: a word longer than the line stays whole") {
  CHECK(wrapped("a level.beta_s_per_byte b", 5) == Lines{"a", "level.beta_s_per_byte", "b"});
}

TEST_CASE("wrapped text: line breaks stay, further spaces do not") {
  CHECK(wrapped("one\n\ntwo  three ", 20) == Lines{"one", "", "two three"});
  CHECK(wrapped("", 20) == Lines{""});
}

TEST_CASE("wrapped text: the columns count the indentation") {
  CHECK(indented("one two three", 2, 9) == "  one two\n  three\n");
}

TEST_CASE("wrapped text: later lines are indented as far as a name before the first one") {
  CHECK(wrapped("why ", "one two three", 12) == "why one two\n    three\n");
  CHECK(wrapped("", "one two", 7) == "one two\n");
  CHECK(wrapped("", "a longerword b", 5) == "a\nlongerword\nb\n");
}

TEST_CASE("wrapped text: a command within a sentence is not broken") {
  CHECK(wrapped("one (" + unbroken("two three") + ") four", 11) ==
        Lines{"one", "(two three)", "four"});
}

}  // namespace cnnplan::test
