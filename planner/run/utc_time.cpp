// Writes the calendar time of the system's library.
#include "planner/run/utc_time.hpp"

#include <array>

namespace cnnplan {

std::string utc_text(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, sizeof("2026-11-29T14:17:10Z")> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace cnnplan
