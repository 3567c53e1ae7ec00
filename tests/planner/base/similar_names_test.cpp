// Tests which names count as similar.
#include "planner/base/similar_names.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("similar names: each change, omission, insertion and exchange counts once") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("solve", "solve") == 0);
  CHECK(edit_distance("solve", "salve") == 1);
  CHECK(edit_distance("slove", "solve") == 1);
  CHECK(edit_distance("rank", "ranks") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abcd", "badc") == 2);
}

TEST_CASE("similar names: the most similar name comes first, equal ones in their order") {
  const std::vector<std::string> names{"conv2", "fc6", "conv1", "conv10"};
  CHECK(most_similar("conv", names, 2) == std::vector<std::string>{"conv2", "conv1"});
  CHECK(most_similar("fc", names, 1) == std::vector<std::string>{"fc6"});
}

TEST_CASE("similar names: only a similar name is suggested") {
  const std::vector<std::string> names{"explain", "solve", "check"};
  CHECK(did_you_mean("slove", names) == "; did you mean solve?");
  CHECK(did_you_mean("colour", names).empty());
  CHECK(did_you_mean("x", {"y"}).empty());
  CHECK(did_you_mean("slove", {}).empty());
}

}  // namespace cnnplan::test
