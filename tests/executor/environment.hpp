// Reads numbers for tests from environment variables.
#pragma once

#include <cstdlib>

namespace cnnplan::test {

// Returns the number in the variable, or `absent` where the variable is not set.
inline int environment_number(const char* name, int absent) {
  const char* const text = std::getenv(name);
  return text == nullptr ? absent : std::atoi(text);
}

}  // namespace cnnplan::test
