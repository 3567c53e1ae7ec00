// Rounds the size of shards up to whole cache lines.
#include "planner/tensor/shard.hpp"

#include <algorithm>

namespace cnnplan {

std::int64_t shard_elements(std::int64_t elements, int parts) {
  constexpr std::int64_t line = shard_line_elements;
  const std::int64_t lines = (elements + line - 1) / line;
  return (lines + parts - 1) / parts * line;
}

Range shard(std::int64_t elements, int parts, int part) {
  const std::int64_t each = shard_elements(elements, parts);
  return {std::min(elements, part * each), std::min(elements, (part + 1) * each)};
}

}  // namespace cnnplan
