// Tests the report about a plan: its whole text, one layer, runner-ups and chains.
#include "planner/report/explain.hpp"

#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/planner/json/samples.hpp"
#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the line that begins with `name` and a space.
std::string line_of(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find("\n" + name + " ");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

const std::string header_text = R"(small: 2 ranks, batch 4, fp32

step        100.000 ms  (90.000 ms to 120.000 ms)
exposed     12.500 ms  (communication, waiting for other ranks included)
inference   30.000 ms  (forward alone, as cnnexec --infer)
baseline    110.000 ms  (n2 everywhere)
runner-up   105.000 ms  (h2 everywhere)
limited by  backward filter 30.5 %, forward 21.0 %, backward data 20.0 %,
            gradient reductions 15.5 %, updates 7.0 %, statistics 3.0 %, halo
            2.0 %, loading 1.0 %
bound       80.000 ms  (gap 25.0 %)
memory      at least 4.00 MiB of 1.00 GiB (0.4 %): parameters 1.00 MiB,
            activations 3.00 MiB, buffers 512 B, process not measured
candidates  14

)";
const std::string note_text = R"(
* estimated, not measured (1 kernel)
)";

}  // namespace

TEST_CASE("explain: the whole text") {
  CHECK(explain(small_plan(), {}) ==
        header_text +
            R"(times in ms, mean over the ranks that have the layer; critical: of the path that
the step waits for
layer   kind                   mesh  forward  bwd data  bwd filter   halo  channels  shuffle  copy  statistics  allreduce  other  total [ms]   step [%]  critical [%]
---------------------------------------------------------------------------------------------------------------------------------------------------------------------
data    input                  h2          -         -           -      -         -        -     -           -          -  1.000       1.000        1.0           1.0
conv1   convolution            h2     10.000    20.000      30.500  2.000         -        -     -           -          -      -      62.500       62.5          62.5
bn1     batch_norm             h2      4.000         -           -      -         -        -     -       3.000      0.500      -       7.500*       7.5           7.5
pool    global_pooling         h2          -         -           -      -         -        -     -           -          -      -           -          -             -
fc      fully_connected        r2      5.000         -           -      -         -    1.500     -           -          -      -       6.500        6.5           6.5
loss    softmax_cross_entropy  h2          -         -           -      -         -        -     -           -          -      -           -          -             -
---------------------------------------------------------------------------------------------------------------------------------------------------------------------
reduce                                     -         -           -      -         -        -     -           -          -  6.000       6.000        6.0          15.5
sgd                                        -         -           -      -         -        -     -           -          -  7.000       7.000        7.0           7.0
)" + note_text);
}

TEST_CASE("explain: times over links that were not measured have the mark of estimates") {
  Plan plan = small_plan();
  plan.prediction.operations.at(10).estimated = true;  // reduce/0
  const std::string text = explain(plan, {});
  CHECK(has(text, "  6.000       6.000*       6.0"));
  CHECK(text.ends_with("\n* estimated, not measured (1 kernel, links or copies of 1 operation)\n"));
}

TEST_CASE("explain: the operations of one layer") {
  CHECK(explain(small_plan(), "conv1") ==
        header_text + R"(conv1: convolution on h2, output 4x8x1x16x16
operation              time [ms]   step [%]  critical [%]
---------------------------------------------------------
conv1/forward/halo         2.000        2.0           2.0
conv1/forward             10.000       10.0          10.0
conv1/backward_data       20.000       20.0          20.0
conv1/backward_filter     30.500       30.5          30.5
---------------------------------------------------------
total                     62.500       62.5          62.5
)" + note_text);
}

TEST_CASE("explain: the runner-up of every choice, and its margin") {
  Plan plan = small_plan();
  plan.prediction.margins = {{.layers = {"data"}, .runner_up = "n2", .margin_s = 0.0125},
                             {.layers = {"conv1", "bn1"}, .runner_up = "w2", .margin_s = -0.001},
                             {.layers = {"fc"}}};
  const std::string text = explain(plan, {});
  CHECK(has(text, "runner-up  margin [ms]\n"));
  CHECK(line_of(text, "data").ends_with("n2              12.500"));
  CHECK(line_of(text, "conv1").ends_with("w2              -1.000"));
  CHECK(line_of(text, "bn1").ends_with("7.5           7.5  as conv1"));
  CHECK(line_of(text, "pool").ends_with(" -"));
  CHECK(line_of(text, "fc").ends_with("6.5           6.5  -"));
  CHECK(has(explain(plan, "data"), "\nrunner-up n2, all operations in sum 12.500 ms longer\n"));
  CHECK(has(explain(plan, "bn1"),
            "\nsplit as conv1; runner-up w2, all operations in sum 1.000 ms shorter;\n"
            "sums leave out waiting and memory, which decided for this split\n"));
  CHECK(has(explain(plan, "fc"), "\nno other split is worth finding\n"));
}

TEST_CASE("explain: chains by multigrid, and the ranks that have their layers") {
  const std::string text = explain(test::sample_chain_plan(), std::nullopt);
  CHECK(has(text,
            "multigrid   b0 to b4_add: coarsening 2, 3 levels, 5 cycles, fcf-relaxation from\n"
            "            the step before, 4 groups at the same time"));
  CHECK(has(text, "n2l3 stage 2"));
}

TEST_CASE("explain: sentences fit the columns, and the table is as wide as it is") {
  const std::string text = explain(small_plan(), {}, 60);
  const std::string table = text.substr(text.find("\nlayer   kind"));
  std::istringstream sentences(text.substr(0, text.size() - table.size()));
  for (std::string line; std::getline(sentences, line);) CHECK(line.size() <= 60);
  CHECK(has(explain(small_plan(), {}, 100), table));
  CHECK(table.find('\n', 1) > 100);
}

TEST_CASE("explain: properties of all layers are in the first line") {
  Plan plan = small_plan();
  plan.overlap = plan.sharded_update = true;
  CHECK(explain(plan, {}).starts_with("small: 2 ranks, batch 4, fp32, overlap, sharded update\n"));
  plan = small_plan();
  plan.sample_blocks = 4;
  CHECK(explain(plan, {}).starts_with(
      "small: 2 ranks, batch 4, fp32, sums by 4 blocks of samples\n"));
}

TEST_CASE("explain: a layer that gathers its input node by node says so after its mesh") {
  Plan plan = small_plan();
  CHECK_FALSE(has(explain(plan, {}), "node by node"));
  plan.layers[LayerIndex(4)].gather = GatherMethod::by_node_n;
  CHECK(has(line_of(explain(plan, {}), "fc"), " r2, node by node "));
}

TEST_CASE("explain: what is not known is left out") {
  Plan plan = small_plan();
  plan.prediction = {};
  const std::string text = explain(plan, {});
  CHECK_FALSE(has(text, "baseline"));
  CHECK_FALSE(has(text, "bound"));
  CHECK_FALSE(has(text, "runner-up"));
  CHECK_FALSE(has(text, "estimated"));
  CHECK(has(line_of(text, "conv1"), "-"));
}

TEST_CASE("explain: an unknown layer is refused with the most similar names") {
  try {
    explain(small_plan(), "conv9");
    FAIL("not refused");
  } catch (const InputError& error) {
    CHECK(error.problem().file == "--layer");
    CHECK(error.problem().value == "\"conv9\"");
    CHECK(error.problem().allowed == "one of conv1, bn1, pool, loss, data or another of 6 layers");
  }
}

}  // namespace cnnplan
