// Which backend the bodies of tests run on.
#pragma once

#include <cstdlib>
#include <string>

namespace cnnplan::test {

// What CNNPLAN_TEST_BACKENDS names, so that one body tests all backends; else `usual`.
inline std::string tested_backend(const std::string& usual) {
  const char* const asked_for = std::getenv("CNNPLAN_TEST_BACKENDS");
  return asked_for == nullptr ? usual : asked_for;
}

}  // namespace cnnplan::test
