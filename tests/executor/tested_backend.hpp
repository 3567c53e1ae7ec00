// Says which backend a test runs on.
#pragma once

#include <cstdlib>
#include <string>

namespace cnnplan::test {

// Returns the backend that CNNPLAN_TEST_BACKENDS names, so that one test runs on all backends. It
// is `usual` if the variable is not set.
inline std::string tested_backend(const std::string& usual) {
  const char* const asked_for = std::getenv("CNNPLAN_TEST_BACKENDS");
  return asked_for == nullptr ? usual : asked_for;
}

}  // namespace cnnplan::test
