// Tests traces of ranks, with schedules made by hand and with every kind of plan.
#include "planner/simulate/rank_traces.hpp"

#include <numeric>
#include <string>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "tests/planner/predict/hand_made.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/simulate/trace_run.hpp"
#include "tests/planner/simulate/two_nodes.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

std::vector<std::string> texts(const Traces& traces) {
  std::vector<std::string> result;
  for (const Trace& trace : traces.processes) result.push_back(trace.text());
  return result;
}

// Returns a schedule of a kernel of 1 s, a sum of 1000 values, a kernel of 2 s that may run
// meanwhile, and one of 4 s that needs the sum.
PricedSchedule sum_beside_kernel(int rank) {
  PricedSchedule priced = HandMade(rank)
                              .compute("gradient", 1)
                              .allreduce("reduce", {0, 1}, 0.5, {0})
                              .compute("next", 2, {0})
                              .compute("update", 4, {1})
                              .priced();
  priced.schedule.ranks = 2;
  std::get<CollectiveOperation>(priced.schedule.operations[OperationIndex(1)].body).elements = 500;
  return priced;
}

// Checks the properties that all traces of a plan must have.
void check_traces(const std::vector<PricedSchedule>& schedules,
                  const Platform& platform,
                  const TraceOptions& options) {
  const Traces traces = rank_traces(schedules, platform, options);
  std::size_t streams = options.overlap > 0.0 ? 3 : 1;
  int lanes = 1;
  for (const PricedSchedule& priced : schedules) lanes = std::max(lanes, priced.schedule.lanes);
  streams += static_cast<std::size_t>(lanes) - 1;
  REQUIRE(traces.processes.size() == streams * schedules.size());
  const TraceRun run = run_traces(texts(traces));
  CHECK(run.ends);
  CHECK(run.same_bytes);
  CHECK(run.left_over == 0);
  for (std::size_t process = 0; process < traces.processes.size(); ++process) {
    const int rank = static_cast<int>(process % schedules.size());
    for (int receiver : traces.processes[process].receivers()) {
      CHECK(traces.routes.count({rank, receiver % traces.ranks}) == 1);
    }
  }
}

void without_sums(PricedSchedule& priced) {
  for (Operation& operation : priced.schedule.operations) {
    if (auto* sum = std::get_if<CollectiveOperation>(&operation.body)) sum->elements = 0;
  }
}

// Holds the work that a rank does by itself, without allreduces.
struct Work {
  double seconds = 0.0;
  std::int64_t sent_bytes = 0;
};

Work work_of(const PricedSchedule& priced, const Platform& platform) {
  const Schedule& schedule = priced.schedule;
  Work work;
  for (const OperationIndex i : priced.prices.indices()) {
    const Operation& operation = schedule.operations[i];
    if (!is_communication(operation)) work.seconds += priced.prices[i].seconds;
    const auto* transfer = std::get_if<TransferOperation>(&operation.body);
    if (transfer == nullptr) continue;
    const TransferTraits traits = traits_of(schedule, *transfer);
    work.seconds += transfer_time(platform, transfer->list, schedule.rank, traits).copy_s();
    for (const Piece& piece : transfer->list.sends) {
      if (piece.peer == schedule.rank) continue;
      work.sent_bytes += volume(piece.box) * traits.element_bytes;
    }
  }
  return work;
}

// Returns the schedules of all ranks.
std::vector<PricedSchedule> schedules_of(const Plan& plan, const PriceList& prices) {
  return lower_and_price(plan, RankClasses::each(plan.ranks), prices).schedules;
}

}  // namespace

TEST_CASE("Rank traces: one operation after the other") {
  const Traces traces =
      rank_traces(std::vector{sum_beside_kernel(0), sum_beside_kernel(1)}, two_nodes(2), {});
  REQUIRE(traces.processes.size() == 2);
  CHECK(traces.messages == 4);
  CHECK(traces.routes == std::set<std::pair<int, int>>{{0, 1}, {1, 0}});
  // 1000 bytes at 1 GB/s take 1 us more than the latency, as long as 10000 bytes at 10 GB/s. Adding
  // takes 1 us.
  CHECK(texts(traces)[0] ==
        "0 init\n"
        "0 compute 1e+09\n"
        "0 irecv 1 0 10000 6\n0 isend 1 0 10000 6\n0 waitall\n"
        "0 compute 1000\n"
        "0 irecv 1 0 10000 6\n0 isend 1 0 10000 6\n0 waitall\n"
        "0 compute 6e+09\n"
        "0 finalize\n");
}

TEST_CASE("Rank traces: with overlap a reduction is a process of its own") {
  const Traces traces = rank_traces(
      std::vector{sum_beside_kernel(0), sum_beside_kernel(1)}, two_nodes(2), {.overlap = 0.8});
  REQUIRE(traces.processes.size() == 6);
  CHECK(texts(traces)[1] ==
        "1 init\n"
        "1 compute 1e+09\n"
        "1 send 5 0 0 6\n"
        "1 compute 2.1e+09\n"  // a fifth of the reduction slows the kernels
        "1 recv 5 1 0 6\n"
        "1 compute 4e+09\n"
        "1 finalize\n");
  CHECK(texts(traces)[3] == "3 init\n3 finalize\n");
  CHECK(texts(traces)[5].rfind("5 init\n5 recv 1 0 0 6\n5 irecv 4 0 10000 6\n", 0) == 0);
  CHECK(texts(traces)[5].find("5 send 1 1 0 6\n5 finalize\n") != std::string::npos);
  CHECK(traces.messages == 4);
  CHECK(traces.routes.count({1, 1}) == 1);
}

TEST_CASE("Rank traces: a lane is a process of its own") {
  const PricedSchedule priced = HandMade(0)
                                    .compute("a", 1)
                                    .compute("b", 2, {0})
                                    .compute("c", 3, {0})
                                    .in_lane(1)
                                    .compute("d", 4, {1, 2})
                                    .priced();
  const Traces traces = rank_traces(std::vector{priced}, two_nodes(1), {});
  REQUIRE(traces.processes.size() == 2);
  CHECK(texts(traces)[0] ==
        "0 init\n0 compute 1e+09\n0 send 1 0 0 6\n0 compute 2e+09\n0 recv 1 2 0 6\n"
        "0 compute 4e+09\n0 finalize\n");
  CHECK(texts(traces)[1] ==
        "1 init\n1 recv 0 0 0 6\n1 compute 3e+09\n1 send 0 2 0 6\n1 finalize\n");
}

TEST_CASE("Rank traces: a step begins after its overhead") {
  const PricedSchedule priced = HandMade(0).compute("a", 1).priced();
  const Traces traces = rank_traces(std::vector{priced}, two_nodes(1), {.begin_s = 0.5});
  CHECK(texts(traces)[0] == "0 init\n0 compute 1.5e+09\n0 finalize\n");
}

TEST_CASE("Rank traces: messages have real bytes if requested") {
  const Traces traces = rank_traces(
      std::vector{sum_beside_kernel(0), sum_beside_kernel(1)}, two_nodes(2), {.real_bytes = true});
  CHECK(run_traces(texts(traces)).sent_bytes == std::vector<std::int64_t>{2000, 2000});
}

TEST_CASE("Rank traces: every send of every plan has its receive") {
  const KernelCosts kernels;
  std::vector<NamedPlan> plans = random_plans(12);
  for (NamedPlan& plan : chain_plans(6)) plans.push_back(std::move(plan));
  for (const NamedPlan& named : plans) {
    CAPTURE(named.name);
    const Platform platform = two_nodes(named.plan.ranks);
    const auto schedules = schedules_of(named.plan, PriceList(platform, kernels));
    for (double overlap : {0.0, 0.7}) {
      check_traces(schedules, platform, {.overlap = overlap});
      check_traces(schedules, platform, {.overlap = overlap, .real_bytes = true});
    }
  }
}

TEST_CASE("Rank traces: transfers send the bytes of their lists, and copy what is staged") {
  const KernelCosts kernels;
  for (const NamedPlan& named : random_plans(6)) {
    CAPTURE(named.name);
    const Platform platform = two_nodes(named.plan.ranks);
    auto schedules = schedules_of(named.plan, PriceList(platform, kernels));
    std::vector<Work> work;
    for (PricedSchedule& priced : schedules) {
      without_sums(priced);
      work.push_back(work_of(priced, platform));
    }
    const TraceRun run = run_traces(texts(rank_traces(schedules, platform, {.real_bytes = true})));
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      CHECK(run.sent_bytes[rank] == work[rank].sent_bytes);
      CHECK(run.flops[rank] == relative(work[rank].seconds * host_flops_per_s));
    }
  }
}

}  // namespace cnnplan::test
