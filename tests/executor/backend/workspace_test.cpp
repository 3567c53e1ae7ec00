// Tests workspaces within workspaces, and in several threads.
#include "executor/backend/onednn/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::onednn {
namespace {

// Fills the workspace with `value`.
void fill(const Workspace& workspace, std::size_t bytes, unsigned char value) {
  std::fill_n(reinterpret_cast<unsigned char*>(workspace.data()), bytes, value);
}

bool holds(const Workspace& workspace, std::size_t bytes, unsigned char value) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(workspace.data());
  return std::all_of(begin, begin + bytes, [value](unsigned char byte) { return byte == value; });
}

}  // namespace

TEST_CASE("Workspace: one within another keeps what is there, also where memory is short") {
  Workspace::reserve(100);
  for (int pass = 0; pass < 3; ++pass) {
    const Workspace outer(90);
    fill(outer, 90, 1);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{300}}) {
      const Workspace middle(bytes);
      fill(middle, bytes, 2);
      const Workspace inner(70'000);
      fill(inner, 70'000, 3);
      CHECK(holds(middle, bytes, 2));
    }
    CHECK(holds(outer, 90, 1));
  }
}

// Returns the distances between an outer workspace and one nested in it, in a thread that has none
// yet.
std::vector<std::size_t> distances(std::size_t reserved, int passes) {
  std::vector<std::size_t> found;
  std::thread([&] {
    Workspace::reserve(reserved);
    for (int pass = 0; pass < passes; ++pass) {
      const Workspace outer(100);
      const Workspace inner(100'000);
      found.push_back(reinterpret_cast<std::uintptr_t>(inner.data()) -
                      reinterpret_cast<std::uintptr_t>(outer.data()));
    }
  }).join();
  return found;
}

TEST_CASE(
    "Workspace: one lies right behind another, from the second time on or where all is reserved") {
  const std::vector<std::size_t> found = distances(100, 3);
  CHECK(found[0] != 128);
  CHECK(found[1] == 128);
  CHECK(found[2] == 128);
  CHECK(distances(128 + 100'000, 1) == std::vector<std::size_t>{128});
}

TEST_CASE("Workspace: begins a cache line") {
  const Workspace outer(100);
  const Workspace inner(1);
  CHECK(reinterpret_cast<std::uintptr_t>(outer.data()) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(inner.data()) % 64 == 0);
}

TEST_CASE("Workspace: no room is made while one is there") {
  const Workspace there(10);
  CHECK_THROWS_AS(Workspace::reserve(1 << 20), std::logic_error);
}

TEST_CASE("Workspace: none of no bytes") {
  const Workspace nothing(0);
  CHECK(nothing.data() == nullptr);
}

TEST_CASE("Workspace: threads have their own") {
  const Workspace here(1000);
  fill(here, 1000, 1);
  std::thread([] {
    const Workspace there(1000);
    fill(there, 1000, 2);
  }).join();
  CHECK(holds(here, 1000, 1));
}

}  // namespace cnnplan::onednn
