// Tests which windows and mirror images are drawn, and how often.
#include "executor/data/augmentation.hpp"

#include <map>
#include <set>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr Shape stored{{1, 3, 1, 9, 4}};
constexpr Shape window{{1, 3, 1, 6, 5}};
constexpr Augmentation moved{.crops = true, .padding = 1, .mirrors = true};

}  // namespace

TEST_CASE("Augmentation: every window that has room is drawn equally often") {
  std::map<std::array<std::int64_t, 3>, int> counts;
  int mirrored = 0;
  constexpr int draws = 6000;
  for (int sample = 0; sample < draws; ++sample) {
    const WindowPlacement place = drawn(moved, stored, window, 1, 0, sample);
    ++counts[place.first];
    mirrored += place.mirrored ? 1 : 0;
  }
  // A window starts in one of the rows -1 to 4, and in column -1 or 0.
  CHECK(counts.size() == 12);
  for (const auto& [first, count] : counts) {
    CHECK(first[0] == 0);
    CHECK((first[1] >= -1 && first[1] <= 4));
    CHECK((first[2] >= -1 && first[2] <= 0));
    CHECK(count > draws / 12 * 3 / 4);
    CHECK(count < draws / 12 * 5 / 4);
  }
  CHECK(mirrored > draws * 45 / 100);
  CHECK(mirrored < draws * 55 / 100);
}

TEST_CASE("Augmentation: draws depend on seed, pass and sample only") {
  std::set<std::int64_t> rows;
  for (std::int64_t pass = 0; pass < 40; ++pass) {
    const WindowPlacement place = drawn(moved, stored, window, 1, pass, 7);
    CHECK(place == drawn(moved, stored, window, 1, pass, 7));
    rows.insert(place.first[1]);
  }
  CHECK(rows.size() == 6);
  int same = 0;
  for (std::int64_t sample = 0; sample < 100; ++sample) {
    same += drawn(moved, stored, window, 1, 0, sample) == drawn(moved, stored, window, 2, 0, sample)
                ? 1
                : 0;
  }
  CHECK(same < 30);
}

TEST_CASE("Augmentation: without augmentation, the window is the whole sample or its middle") {
  CHECK(drawn({}, window, window, 3, 4, 5) == WindowPlacement{});
  CHECK(centred(window, window) == WindowPlacement{});
  CHECK(centred(stored, window) == WindowPlacement{.first = {0, 1, -1}});
  CHECK(centred({{1, 1, 4, 8, 8}}, {{1, 1, 4, 5, 6}}) == WindowPlacement{.first = {0, 1, 1}});
}

}  // namespace cnnplan
