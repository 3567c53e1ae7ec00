// Tests the choice of stores with given times, without a clock.
#include "executor/comm/store_choice.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

struct Machine {
  double cached_s = 1.0;
  double streamed_s = 1.0;
  double time_s(Store store) const { return store == Store::cached ? cached_s : streamed_s; }
};

// Runs passes on a machine and counts those that were cached.
int cached_passes(StoreChoice& choice, const Machine& machine, int passes) {
  int cached = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const Store store = choice.next();
    if (store == Store::cached) ++cached;
    choice.record(machine.time_s(store));
  }
  return cached;
}

constexpr int many = 10 * StoreChoice::passes_between_trials;

}  // namespace

TEST_CASE("StoreChoice: takes the faster kind of store, except in trials") {
  StoreChoice near;
  CHECK(cached_passes(near, {.cached_s = 1.0, .streamed_s = 2.0}, many) == many - 11);
  StoreChoice far;
  CHECK(cached_passes(far, {.cached_s = 3.0, .streamed_s = 1.0}, many) == 2 + 10);
}

TEST_CASE("StoreChoice: the first pass is always cached and does not count") {
  StoreChoice choice;
  CHECK(choice.next() == Store::cached);
  choice.record(1000.0);
  CHECK(cached_passes(choice, {.cached_s = 1.0, .streamed_s = 2.0}, 20) == 19);
}

TEST_CASE("StoreChoice: one disturbed pass changes nothing") {
  StoreChoice choice;
  cached_passes(choice, {.cached_s = 1.0, .streamed_s = 2.0}, 20);
  choice.next();
  choice.record(1000.0);
  CHECK(choice.next() == Store::cached);
}

TEST_CASE("StoreChoice: follows ranks that move to other cores and back") {
  StoreChoice choice;
  cached_passes(choice, {.cached_s = 1.0, .streamed_s = 2.0}, many);
  CHECK(cached_passes(choice, {.cached_s = 6.0, .streamed_s = 1.5}, 30) <= 4);
  cached_passes(choice, {.cached_s = 1.0, .streamed_s = 2.0}, many);
  CHECK(cached_passes(choice, {.cached_s = 1.0, .streamed_s = 2.0}, 30) >= 29);
}

}  // namespace cnnplan
