// Tests the lines of the summary.
#include "planner/summary/summary_text.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

// Returns a summary with each of its sentences in one line.
std::string in_one_line(std::string text) {
  const std::string indent = "\n        ";
  for (std::size_t at = 0; (at = text.find(indent, at)) != std::string::npos;) {
    text.replace(at, indent.size(), " ");
  }
  return text;
}

std::string many_words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "w ";
  return text;
}

}  // namespace

TEST_CASE("summary: a plan without rivals, as older versions wrote it") {
  CHECK(to_text(summary_of(small_plan())) ==
        R"(small on 2 ranks, batch 4, fp32, at least 4.00 MiB of 1.00 GiB per rank
plan    data to pool: height over 2 ranks; fc: alike on all 2 ranks; loss:
        height over 2 ranks
step    100 ms (90.0 to 120), 40.0 images/s
)");
}

TEST_CASE("summary: data parallelism that is the best plan is called so") {
  Plan plan = small_plan();
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  plan.prediction.rivals = {{.plan = "n2", .ranks = 2, .step_s = 0.1, .parts = {}}};
  CHECK(to_text(summary_of(plan)).find("plain data parallelism is best") != std::string::npos);
  plan.prediction.candidates = 0;
  const std::string given = in_one_line(to_text(summary_of(plan)));
  CHECK(given.find("best") == std::string::npos);
  CHECK(given.find("; data parallelism as given, without a search") != std::string::npos);
}

TEST_CASE("summary: the plan is compared with data parallelism that overlaps as the plan does") {
  Plan plan = small_plan();
  plan.prediction.rivals = {{.plan = "n2", .ranks = 2, .step_s = 0.25, .parts = {}}};
  Rival& rival = plan.prediction.rivals.front();
  const auto has = [&](const std::string& words) {
    const std::string text = in_one_line(to_text(summary_of(plan)));
    CAPTURE(text);
    return text.find(words + '\n') != std::string::npos;
  };
  CHECK(has("; 2.50 times as fast as data parallelism without overlap"));
  plan.overlap = true;
  CHECK(has("; 2.50 times as fast as data parallelism with overlap"));
  rival.step_s = 0.1004;
  rival.memory_bytes = std::int64_t{3} << 30;
  CHECK(has("; as fast as data parallelism with overlap, which needs 3.00 GiB"));
  rival.memory_bytes = plan.prediction.memory.total_bytes();
  CHECK(has("; as fast as data parallelism with overlap"));
  rival.ranks = 1;
  CHECK(has("; as fast as data parallelism on 1 rank"));
}

TEST_CASE("summary: how sure the choice is ends with a command") {
  Plan plan = small_plan();
  for (PredictedOperation& operation : plan.prediction.operations) operation.estimated = false;
  plan.prediction.rivals = {
      {.plan = "n2", .ranks = 2, .step_s = 0.2, .parts = {}, .draws_s = {0.2, 0.1}}};
  plan.prediction.draws = {
      .figures = {{.figure = "kernel.convolution", .error = 0.1, .factors = {1.1, 0.9}}},
      .steps_s = {0.11, 0.11}};
  Summary summary = summary_of(plan, "plans/p.json");
  CAPTURE(to_text(summary));
  CHECK(in_one_line(to_text(summary))
            .ends_with("to settle it, time kernels (cnnplan profile --missing-from plans/p.json -o "
                       "again.json).\n"));
  summary.confidence->measurement = Measurement::links;
  CHECK(to_text(summary).ends_with("(mpirun -n 2 cnnplan profile --links).\n"));
  CHECK(summary.plan_file == "plans/p.json");
  for (const char* stream : {"-", "/dev/stdout", "/dev/fd/63"}) {
    CHECK(summary_of(plan, stream).plan_file.empty());
  }
}

TEST_CASE("summary: at most eight lines, however many splits there are") {
  Summary summary = summary_of(small_plan());
  for (int i = 0; i < 100; ++i) {
    summary.groups.push_back({.words = "samples over " + std::to_string(i) + " ranks"});
    summary.group_names.push_back("layer" + std::to_string(i));
    summary.counts.push_back({.words = summary.groups.back().words, .layers = 1});
  }
  const std::string text = to_text(summary);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 8);
  CHECK(text.find("in other ways") != std::string::npos);
}

TEST_CASE("summary: the second split is named in short words, and only others are counted") {
  Summary summary = summary_of(small_plan());
  summary.groups.assign(100, {.words = many_words(30)});
  summary.group_names.assign(100, "layer");
  summary.counts = {{.words = "samples over 8, height over 4",
                     .short_words = "samples 8 x height 4",
                     .layers = 51},
                    {.words = "samples over 8, channels over 4",
                     .short_words = "samples 8 x channels 4",
                     .layers = 20},
                    {.words = many_words(1000), .short_words = many_words(1000), .layers = 2}};
  CHECK(in_one_line(to_text(summary))
            .find("plan    51 layers: samples over 8, height over 4; 20: samples over 8, channels "
                  "over 4; 2 in other ways\n") != std::string::npos);
  summary.network = many_words(190);
  CHECK(to_text(summary).find("plan    51 layers: samples 8 x height 4; 20: samples 8 x channels "
                              "4; 2 others\n") != std::string::npos);
}

TEST_CASE("summary: a measured step comes first, with rates and the error") {
  Summary summary = summary_of(small_plan());
  summary.measured_s = 0.125;
  CHECK(to_text(summary).starts_with(
      "Predicted 100 ms per step (40.0 images/s), measured 125 ms (32.0 images/s): the\n"
      "prediction is 20.0 % too short.\nsmall on 2 ranks"));
  CHECK(measured_text(summary, 0.08)
            .ends_with("(50.0 images/s): the prediction is 25.0 % too long."));
  CHECK(measured_text(summary, 0.10001).ends_with("the prediction is right."));
}

TEST_CASE("summary: sentences that would be long are cut to two lines") {
  Plan plan = small_plan();
  plan.prediction.rivals = {
      {.plan = "n2", .ranks = 2, .step_s = 0.105, .parts = {}, .draws_s = {0.2, 0.1}}};
  plan.prediction.draws = {
      .figures = {{.figure = "kernel.convolution", .error = 0.1, .factors = {1.1, 0.9}}},
      .steps_s = {0.11, 0.11}};
  Summary summary = summary_of(plan);
  CHECK(to_text(summary).find("sure    Beats data parallelism, which is 5.0 % slower, in 1 of 2 "
                              "draws of\n        errors; to settle it, time bn1 (cnnplan "
                              "profile).\n") != std::string::npos);
  summary.plan_file = "p.json";
  CHECK(to_text(summary).find("time bn1 (cnnplan profile --missing-from p.json).\n") !=
        std::string::npos);
  summary.confidence->layers = {std::string(70, 'k')};
  CHECK(in_one_line(to_text(summary))
            .ends_with("Beats data parallelism in 1 of 2 draws; to settle it: cnnplan profile "
                       "--missing-from p.json.\n"));
  summary.measured_s = 0.1;
  CHECK(to_text(summary).find("Beats") == std::string::npos);
}

TEST_CASE("summary: draws against data parallelism follow those against a closer plan") {
  Plan plan = small_plan();
  plan.prediction.draws = {
      .figures = {{.figure = "kernel.convolution", .error = 0.1, .factors = {1.1, 1.0, 0.9}}},
      .steps_s = {0.12, 0.11, 0.10}};
  const auto text_with = [&](std::vector<double> next_s, std::vector<double> samples_s) {
    plan.prediction.rivals = {
        {.plan = "n2", .ranks = 2, .step_s = 0.2, .parts = {}, .draws_s = std::move(samples_s)},
        {.kind = RivalKind::next,
         .plan = "near tie",
         .ranks = 2,
         .step_s = 0.15,
         .parts = {},
         .draws_s = std::move(next_s)}};
    std::string text = to_text(summary_of(plan));
    text = text.substr(text.find("sure    "));
    CHECK(std::count(text.begin(), text.end(), '\n') <= 3);
    return in_one_line(std::move(text));
  };
  CHECK(text_with({0.13, 0.12, 0.09}, {0.2, 0.2, 0.2})
            .starts_with("sure    Beats the next plan (near tie) in 2 of 3 draws of errors, and "
                         "data parallelism in 3; to settle it, time bn1 (cnnplan profile)."));
  CHECK(text_with({0.11, 0.10, 0.11}, {0.2, 0.2, 0.09})
            .starts_with("sure    Loses against the next plan (near tie) in 2 of 3 draws of "
                         "errors, but beats data parallelism in 2;"));
  CHECK(text_with({0.11, 0.10, 0.09}, {0.2, 0.1, 0.09})
            .starts_with("sure    Loses against the next plan (near tie) in 3 of 3 draws of "
                         "errors, and against data parallelism in 2;"));
}

TEST_CASE("summary: both rivals and the command stay within eight lines") {
  Plan plan = small_plan();
  plan.prediction.draws = {
      .figures = {{.figure = "kernel.convolution", .error = 0.1, .factors = {1.1, 0.9}}},
      .steps_s = {0.11, 0.11}};
  plan.prediction.rivals = {
      {.plan = "n1", .ranks = 1, .step_s = 0.2, .parts = {}, .draws_s = {0.2, 0.2}},
      {.kind = RivalKind::next,
       .plan = "least additive cost that fits",
       .ranks = 2,
       .step_s = 0.15,
       .parts = {},
       .draws_s = {0.2, 0.1}}};
  Summary summary = summary_of(plan);
  summary.plan_file = "plan.json";
  for (int i = 0; i < 100; ++i) {
    summary.groups.push_back({.words = "samples over " + std::to_string(i) + " ranks"});
    summary.group_names.push_back("layer" + std::to_string(i));
    summary.counts.push_back({.words = summary.groups.back().words, .layers = 1});
  }
  const std::string text = to_text(summary);
  CAPTURE(text);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 8);
  CHECK(in_one_line(text).find("Beats the next plan in 1 of 2 draws, and data parallelism in 2;") !=
        std::string::npos);
  CHECK(in_one_line(text).find("--missing-from plan.json") != std::string::npos);
}

}  // namespace cnnplan
