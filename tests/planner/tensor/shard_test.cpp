// Tests how values are cut into shards of whole cache lines.
#include "planner/tensor/shard.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("shard: parts cover all elements in order and whole lines, the first being longest") {
  for (std::int64_t elements : {0, 1, 15, 16, 17, 31, 32, 33, 100, 1000, 4096}) {
    for (int parts = 1; parts <= 9; ++parts) {
      CAPTURE(elements);
      CAPTURE(parts);
      const std::int64_t each = shard_elements(elements, parts);
      CHECK(each % 16 == 0);
      CHECK(parts * each >= elements);
      CHECK(parts * (each - 16) < std::max<std::int64_t>(1, elements));
      std::int64_t end = 0;
      for (int part = 0; part < parts; ++part) {
        const Range own = shard(elements, parts, part);
        CHECK(own.begin == end);
        CHECK((own.size() == each || own.end == elements));
        end = own.end;
      }
      CHECK(end == elements);
    }
  }
}

}  // namespace cnnplan
