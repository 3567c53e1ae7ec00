// Workspaces within workspaces, and threads.
#include "executor/backend/onednn/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::onednn {
namespace {

// Fills it with `value`.
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

TEST_CASE("Workspace: begins a cache line, and is in the same place when all is there") {
  const auto place = [] {
    const Workspace outer(100);
    const Workspace inner(1000);
    CHECK(reinterpret_cast<std::uintptr_t>(outer.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(inner.data()) % 64 == 0);
    return outer.data();
  };
  place();
  const std::byte* const first = place();
  CHECK(place() == first);
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
