// Tests that slices cover a slot in order, in whole blocks of filters and of bounded size.
#include "executor/step/slices.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

ParameterSlot slot_of(const Shape& shape, Range filters) {
  ParameterSlot slot{.shape = shape, .box = whole(shape)};
  slot.box[Dim::n] = filters;
  slot.elements = volume(slot.box);
  return slot;
}

// Checks that the slices follow each other from the first filter to the last one.
void check_cover(const ParameterSlot& slot, const std::vector<Box>& slices) {
  std::int64_t next = slot.box[Dim::n].begin;
  for (const Box& slice : slices) {
    CHECK(slice[Dim::n].begin == next);
    CHECK(slice[Dim::n].size() > 0);
    CHECK(slice[Dim::c] == slot.box[Dim::c]);
    next = slice[Dim::n].end;
  }
  CHECK(next == slot.box[Dim::n].end);
}

}  // namespace

TEST_CASE("slices_of: a large weight is cut into whole blocks of filters, none too large") {
  const ParameterSlot slot = slot_of({{5000, 1000, 1, 1, 1}}, {1000, 5000});
  for (const std::int64_t block : {1, 16}) {
    CAPTURE(block);
    const std::vector<Box> slices = slices_of(slot, block);
    check_cover(slot, slices);
    CHECK(slices.size() > 10);
    for (const Box& slice : slices) {
      CHECK(volume(slice) <= most_slice_values);
      const bool is_last = slice == slices.back();
      CHECK((is_last || slice[Dim::n].size() % block == 0));
    }
  }
}

TEST_CASE("slices_of: a block that is too large stays whole, and a small weight is one slice") {
  const ParameterSlot large = slot_of({{40, most_slice_values, 1, 1, 1}}, {0, 40});
  check_cover(large, slices_of(large, 16));
  CHECK(slices_of(large, 16).size() == 3);
  const ParameterSlot small = slot_of({{64, 3, 1, 7, 7}}, {0, 64});
  CHECK(slices_of(small, 16) == std::vector<Box>{small.box});
  CHECK(slices_of(slot_of({{64, 3, 1, 7, 7}}, {8, 8}), 16).empty());
}

TEST_CASE("filters_at_once: at least one, and as many as the limit holds") {
  CHECK(filters_at_once({{10, most_slice_values / 4, 1, 1, 1}}) == 4);
  CHECK(filters_at_once({{10, 2 * most_slice_values, 1, 1, 1}}) == 1);
  CHECK(filters_at_once({{0, 4, 1, 1, 1}}) == 1);
}

}  // namespace cnnplan
