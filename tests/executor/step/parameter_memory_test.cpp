// Tests that a rank allocates for parameters what a plan counts.
#include <doctest/doctest.h>

#include "executor/step/parameter_store.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

std::int64_t allocated_bytes(const Plan& plan, const Schedule& schedule, Backend& backend) {
  const ParameterStore store(schedule, plan.network, plan.precision, backend);
  return store.bytes() - store.running().bytes();
}

void check_memory(const Plan& plan) {
  const auto backend = make_backend("reference");
  for (const Schedule& schedule : lower_all(plan)) {
    CHECK(allocated_bytes(plan, schedule, *backend) == memory_of(schedule).parameters_bytes);
  }
}

}  // namespace

TEST_CASE("ParameterStore: random plans have the memory that memory_of() counts") {
  for (NamedPlan& named : random_plans(10)) {
    CAPTURE(named.name);
    for (const bool sharded : {false, true}) {
      CAPTURE(sharded);
      named.plan.sharded_update = sharded;
      for (const Precision precision : {Precision::fp32, Precision::bf16}) {
        named.plan.precision = precision;
        check_memory(named.plan);
      }
    }
  }
}

}  // namespace cnnplan::test
