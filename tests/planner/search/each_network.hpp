// What programs for scripts do with PLATFORM RANKS SAMPLES NETWORK...
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "planner/platform/platform.hpp"

namespace cnnplan {

struct NetworkCase {
  const Platform& platform;
  int ranks = 1;
  std::int64_t batch = 1;  // SAMPLES per rank
  std::string file;
};

// @pre at least three arguments
inline void each_network(std::span<char*> arguments,
                         const std::function<void(const NetworkCase&)>& visit) {
  const Platform platform = read_platform(arguments[0]);
  const int ranks = std::stoi(arguments[1]);
  const std::int64_t batch = std::stoll(arguments[2]) * ranks;
  for (char* file : arguments.subspan(3)) {
    visit({.platform = platform, .ranks = ranks, .batch = batch, .file = file});
  }
}

}  // namespace cnnplan
