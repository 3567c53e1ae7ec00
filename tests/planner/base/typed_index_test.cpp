// Index types that differ, and vectors that accept only their own index type.
#include "planner/base/typed_index.hpp"

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/indexed_vector.hpp"

namespace cnnplan::test {
namespace {

using Door = TypedIndex<struct DoorTag>;
using Window = TypedIndex<struct WindowTag>;
using Names = IndexedVector<Door, std::string>;

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a == b;
}
|| requires(A a, B b) {
  a < b;
};
template <typename Container, typename Place>
concept AccessibleBy = requires(Container container, Place place) {
  container[place];
}
|| requires(Container container, Place place) {
  container.at(place);
};

static_assert(!std::convertible_to<int, Door>);
static_assert(!std::convertible_to<Window, Door>);
static_assert(!std::constructible_from<Door, Window>);
static_assert(!std::constructible_from<bool, Door>);
static_assert(std::convertible_to<Door, int>);
static_assert(Comparable<Door, Door> && Comparable<Door, int>);
static_assert(!Comparable<Door, Window>);
static_assert(AccessibleBy<Names, Door> && AccessibleBy<const Names, Door>);
static_assert(!AccessibleBy<Names, Window> && !AccessibleBy<Names, int>);
static_assert(AccessibleBy<std::vector<int>, Door>);
static_assert(!std::convertible_to<std::vector<std::string>, Names>);
static_assert(std::same_as<decltype(Door() + 1), Door> && std::same_as<decltype(Door() - 1), Door>);
static_assert(std::same_as<decltype(Door() - Door()), int>);
static_assert(sizeof(Door) == sizeof(int) && std::is_trivially_copyable_v<Door>);

TEST_CASE("TypedIndex: it is none unless a number is given") {
  CHECK(Door() == -1);
  CHECK(Door() < 0);
  CHECK(Door() != Door(0));
  CHECK(Door(std::size_t{7}) == 7);
}

TEST_CASE("TypedIndex: it counts up and is ordered") {
  Door door(3);
  CHECK(door++ == Door(3));
  CHECK(door == Door(4));
  CHECK(++door == Door(5));
  CHECK(Door(4) < door);
  CHECK(Door(5) <= door);
  CHECK(door-- == Door(5));
  CHECK(--door == Door(3));
  door = Door(5);
  CHECK(door + 2 == Door(7));
  CHECK(door - 2 == Door(3));
  CHECK(door - Door(1) == 4);
  CHECK((door += 3) == Door(8));
  CHECK(door == Door(8));
}

TEST_CASE("TypedIndex: sets find it by its number") {
  const std::unordered_set<Door> doors{Door(2), Door(5), Door(2)};
  CHECK(doors.size() == 2);
  CHECK(doors.contains(Door(5)));
  CHECK_FALSE(doors.contains(Door(3)));
}

TEST_CASE("IndexedVector: push_back returns the index of the new element") {
  Names names;
  CHECK(names.last_index() == Door());
  const Door front = names.push_back("front");
  const Door cellar = names.push_back("cellar");
  CHECK(cellar == Door(1));
  CHECK(names.last_index() == cellar);
  CHECK(names.end_index() == Door(2));
  CHECK(names[front] == "front");
  names[front] = "main";
  CHECK(names.at(front) == "main");
  CHECK_THROWS_AS(names.at(names.end_index()), std::out_of_range);
}

TEST_CASE("IndexedVector: it takes and returns a vector without indices") {
  const std::vector<std::string> plain{"front", "cellar"};
  const Names names(plain);
  CHECK(names[Door(1)] == "cellar");
  CHECK(names.elements() == plain);
}

TEST_CASE("IndexedVector: indices() has each index once, in order") {
  const auto none = Names().indices();
  CHECK(none.begin() == none.end());
  const Names names(3, "closed");
  std::vector<Door> doors;
  for (const Door door : names.indices()) doors.push_back(door);
  CHECK(doors == std::vector{Door(0), Door(1), Door(2)});
}

}  // namespace
}  // namespace cnnplan::test
