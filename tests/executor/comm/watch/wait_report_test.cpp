// Tests the words for the user.
#include "executor/comm/watch/wait_report.hpp"

#include <numeric>
#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

const RankReports reports{
    {.state =
         RankState{
             .call = "MPI_Wait", .activity = "conv1/halo", .waits_for = {0, 1}, .unchanged_s = 12}},
    {.state = RankState{.activity = "conv1/forward", .unchanged_s = 1}, .silent_s = 10},
    {.state = RankState{.activity = "conv1/forward", .unchanged_s = 30}}};

TEST_CASE("ranks_text: joins ranks that follow each other, and ends a long list") {
  CHECK(ranks_text({}) == "-");
  CHECK(ranks_text({4}) == "4");
  CHECK(ranks_text({0, 1, 3, 4, 5, 9}) == "0, 1, 3 to 5, 9");
  RankList all(1000);
  std::iota(all.begin(), all.end(), 0);
  CHECK(ranks_text(all) == "0 to 999");
  for (int& rank : all) rank *= 2;
  CHECK(ranks_text(all).ends_with(", ..."));
  CHECK(ranks_text(all).size() < 60);
}

TEST_CASE("culprit_text: names rank, place and fault") {
  CHECK(culprit_text({Fault::silent, 1, 0}, reports, "a, pid 7, is stopped") ==
        "rank 1 (a, pid 7, is stopped) has not answered for 10.0 s");
  CHECK(culprit_text({Fault::stuck, 2, 0}, reports, "a") ==
        "rank 2 (a) has shown no progress for 30.0 s in conv1/forward");
  CHECK(culprit_text({Fault::deadlock, 0, 0}, reports, "a") ==
        "all ranks answer, but wait for each other: rank 0 (a) has waited for 12.0 s in conv1/halo "
        "(MPI_Wait)");
}

TEST_CASE("culprit_text: names the error of a device") {
  const RankReports failed{
      {.state = RankState{.activity = "loss/reduce", .fault = DeviceFault{"NCCL: error", false}}}};
  CHECK(culprit_text({Fault::failed, 0, 0}, failed, "a, pid 7") ==
        "rank 0 (a, pid 7) cannot communicate any more: NCCL: error");
  CHECK(waits_table(failed, {"a"}, {Fault::failed, 0, 0}).find("loss/reduce; NCCL: error") !=
        std::string::npos);
}

TEST_CASE("waits_table: has a row for each rank, without the rank itself among its peers") {
  const std::string table = waits_table(reports, {"node1", "node1", "n"}, {Fault::silent, 1, 0});
  CHECK(table ==
        "  rank  host   since      waits for   operation\n"
        "     0  node1  12.0 s     1           conv1/halo (MPI_Wait)\n"
        "     1  node1  11.0 s     ?           no answer; last: conv1/forward\n"
        "     2  n      30.0 s     -           conv1/forward\n");
}

TEST_CASE("waits_table: leaves rows out, except those of the culprit and of the waiter") {
  const RankReports many(500, reports[0]);
  const std::string table =
      waits_table(many, std::vector<std::string>(500, "a"), {Fault::silent, 400, 300});
  CHECK(table.find("   400  a") != std::string::npos);
  CHECK(table.find("   300  a") != std::string::npos);
  CHECK(table.find("   200  a") == std::string::npos);
  CHECK(table.find("left out") != std::string::npos);
}

}  // namespace
}  // namespace cnnplan
