// Checks that a reader refuses documents with one fault each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {

// Replaces the first `find` in a valid document by `replace`. The reader must then refuse
// `pointer`, show `value` and say `allowed`, which are parts of its texts.
struct BrokenDocument {
  std::string_view find;
  std::string_view replace;
  std::string_view pointer;
  std::string_view value;
  std::string_view allowed;
};

inline std::string replaced(std::string text, std::string_view find, std::string_view replace) {
  const std::size_t position = text.find(find);
  REQUIRE_MESSAGE(position != std::string::npos, "not in the valid document: ", std::string(find));
  return text.replace(position, find.size(), replace);
}

// Checks that `parse(json, file)` accepts `valid` and refuses each broken document.
template <typename Parse>
void check_refusals(const std::string& valid,
                    const Parse& parse,
                    const std::vector<BrokenDocument>& table) {
  CHECK_NOTHROW(parse(valid, "valid.json"));
  for (const BrokenDocument& broken : table) {
    CAPTURE(std::string(broken.replace));
    const std::string text = replaced(valid, broken.find, broken.replace);
    const InputProblem problem = problem_of([&] { parse(text, "broken.json"); });
    CHECK(problem.file == "broken.json");
    CHECK(problem.pointer == std::string(broken.pointer));
    CHECK_MESSAGE(contains(problem.value, broken.value), problem.value);
    CHECK_MESSAGE(contains(problem.allowed, broken.allowed), problem.allowed);
  }
}

}  // namespace cnnplan::test
