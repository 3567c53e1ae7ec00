// Numbers that a test takes from its environment.
#pragma once

#include <cstdlib>

namespace cnnplan::test {

// That of the variable; `absent` where there is none.
inline int environment_number(const char* name, int absent) {
  const char* const text = std::getenv(name);
  return text == nullptr ? absent : std::atoi(text);
}

}  // namespace cnnplan::test
