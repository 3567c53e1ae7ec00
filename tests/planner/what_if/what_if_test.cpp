// Tests how figures of platform and profile are changed for a what-if, and how users name them.
#include "planner/what_if/what_if.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

Platform two_levels() {
  Platform platform;
  platform.memory_bytes = 1000;
  platform.copy_s_per_byte = 0.5;
  platform.levels = {
      {.name = "node",
       .ranks_per_group = 2,
       .segments = {{100, 1.0, 0.5}, {200, 2.0, 0.25}},
       .gap_s = 0.125,
       .ring_segments = {{100, 4.0, 0.5}}},
      {.name = "cluster", .ranks_per_group = 8, .segments = {{100, 8.0, 1.0}}, .gap_s = 0.5}};
  platform.allreduce = {{.ranks = 8, .segments = {{100, 16.0, 0.25}}}};
  return platform;
}

Profile two_kernels() {
  Profile profile;
  KernelSpec spec{.in = {{1, 2, 1, 4, 4}}, .out = {{1, 2, 1, 4, 4}}};
  const KernelTiming timing{.repetitions = 12,
                            .median_s = 2.0,
                            .mean_s = 3.0,
                            .stddev_s = 1.0,
                            .min_s = 1.5,
                            .rank_spread_s = 0.5};
  profile.kernels[spec] = timing;
  spec.kind = KernelKind::relu;
  profile.kernels[spec] = timing;
  return profile;
}

MachineFigure figure_of(const char* level, const char* name) {
  return {.owner = FigureOwner::level, .level = level, .name = name};
}

Platform with(const std::string& text) {
  Platform platform = two_levels();
  Profile profile;
  apply(parse_what_if(text), platform, profile);
  return platform;
}

}  // namespace

TEST_CASE("WhatIf: figures of the platform are multiplied or set") {
  CHECK(with("memory_bytes*1.5").memory_bytes == 1500);
  CHECK(with("memory_bytes=7").memory_bytes == 7);
  CHECK(with("copy_s_per_byte*0.5").copy_s_per_byte == 0.25);
  CHECK(with("overlap_efficiency=0.75").overlap_efficiency == 0.75);
  CHECK(with("gamma_s_per_byte=1e-9").gamma_s_per_byte == 1e-9);
}

TEST_CASE("WhatIf: one level changes in all its segments, and no other") {
  const Platform faster = with("node.beta_s_per_byte*0.5");
  Platform expected = two_levels();
  expected.levels[0].segments[0].beta_s_per_byte = 0.25;
  expected.levels[0].segments[1].beta_s_per_byte = 0.125;
  expected.levels[0].ring_segments[0].beta_s_per_byte = 0.25;
  CHECK(faster == expected);
  CHECK(with("cluster.shared_by=2").levels[1].shared_by == 2);
  CHECK(with("cluster.duplex_factor=2").levels[1].duplex_factor == 2.0);
}

TEST_CASE("WhatIf: halves of an allreduce change with their level") {
  Platform platform = two_levels();
  platform.levels[0].reduce_scatter_segments = {{100, 2.0, 0.5}};
  platform.levels[0].allgather_segments = {{100, 4.0, 0.25}};
  Platform expected = platform;
  Profile profile;
  apply(parse_what_if("cluster.alpha_s*3"), platform, profile);
  CHECK(platform.levels[0] == expected.levels[0]);
  platform = expected;
  apply(parse_what_if("node.alpha_s*0.5"), platform, profile);
  for (Segment& segment : expected.levels[0].segments) segment.alpha_s /= 2;
  expected.levels[0].ring_segments[0].alpha_s = 2.0;
  expected.levels[0].reduce_scatter_segments[0].alpha_s = 1.0;
  expected.levels[0].allgather_segments[0].alpha_s = 2.0;
  CHECK(platform == expected);
}

TEST_CASE("WhatIf: all levels change together with the measured collectives") {
  const Platform slower = with("level.alpha_s*2");
  CHECK(slower.levels[0].segments[1].alpha_s == 4.0);
  CHECK(slower.levels[0].ring_segments[0].alpha_s == 8.0);
  CHECK(slower.levels[1].segments[0].alpha_s == 16.0);
  CHECK(slower.allreduce[0].segments[0].alpha_s == 32.0);
  CHECK(slower.allreduce[0].segments[0].beta_s_per_byte == 0.25);
}

TEST_CASE("WhatIf: times of kernels are multiplied, all or those of a kind") {
  Platform platform = two_levels();
  for (const std::string text : {"kernel*0.5", "kernel.relu*0.5"}) {
    Profile profile = two_kernels();
    apply(parse_what_if(text), platform, profile);
    for (const auto& [spec, timing] : profile.kernels) {
      const bool changes = text == "kernel*0.5" || spec.kind == KernelKind::relu;
      CHECK(timing.median_s == (changes ? 1.0 : 2.0));
      CHECK(timing.min_s == (changes ? 0.75 : 1.5));
      CHECK(timing.rank_spread_s == (changes ? 0.25 : 0.5));
    }
  }
  CHECK(platform == two_levels());
}

TEST_CASE("price_figures: each is multiplied under its name, and has the values that are there") {
  const std::vector<PriceFigure> figures = price_figures(two_levels(), two_kernels());
  std::vector<std::string> names;
  for (const PriceFigure& figure : figures) {
    const std::string name = to_text(figure.figure);
    CAPTURE(name);
    names.push_back(name);
    CHECK(parse_what_if(name + "*2").figure == figure.figure);
    Platform platform = two_levels();
    platform.gamma_s_per_byte = 1.0;
    for (Level& level : platform.levels) level.duplex_factor = 2.0;
    const Platform before = platform;
    Profile profile = two_kernels();
    apply(multiplied(figure.figure, 0.5), platform, profile);
    CHECK((platform != before || profile != two_kernels()));
  }
  const std::vector<std::string> expected{"level.alpha_s",
                                          "level.beta_s_per_byte",
                                          "level.gap_s",
                                          "level.duplex_factor",
                                          "node.alpha_s",
                                          "node.beta_s_per_byte",
                                          "node.gap_s",
                                          "node.duplex_factor",
                                          "cluster.alpha_s",
                                          "cluster.beta_s_per_byte",
                                          "cluster.gap_s",
                                          "cluster.duplex_factor",
                                          "gamma_s_per_byte",
                                          "copy_s_per_byte",
                                          "kernel",
                                          "kernel.convolution",
                                          "kernel.relu"};
  CHECK(names == expected);
  CHECK(figures[0] == PriceFigure{.figure = figure_of("level", "alpha_s"),
                                  .unit = "s",
                                  .least = 1.0,
                                  .most = 16.0,
                                  .several = true});
  CHECK(figures[5] == PriceFigure{.figure = figure_of("node", "beta_s_per_byte"),
                                  .unit = "s/B",
                                  .least = 0.25,
                                  .most = 0.5});
}

TEST_CASE("price_figures: one level alone has its own name, and no profile no kernels") {
  Platform platform = two_levels();
  platform.levels.pop_back();
  platform.allreduce.clear();
  for (const PriceFigure& figure : price_figures(platform, {})) {
    CHECK_FALSE(figure.several);
    CHECK(figure.figure.owner != FigureOwner::kernels);
  }
}

TEST_CASE("parse_what_if: the figure is a value, and names of levels may have dots") {
  CHECK(parse_what_if("memory_bytes=7").figure == MachineFigure{.name = "memory_bytes"});
  CHECK(parse_what_if("level.alpha_s*2").figure == figure_of("level", "alpha_s"));
  CHECK(parse_what_if("rack.1.alpha_s*2").figure == figure_of("rack.1", "alpha_s"));
  CHECK(parse_what_if("kernel*2").figure == MachineFigure{.owner = FigureOwner::kernels});
  CHECK(parse_what_if("kernel.relu*2").figure ==
        MachineFigure{.owner = FigureOwner::kernels, .name = "relu"});
}

TEST_CASE("price_figures: a level whose name begins with \"level\" does not stand for all levels") {
  Platform platform = two_levels();
  platform.levels[1].name = "level.1";
  for (const PriceFigure& figure : price_figures(platform, {})) {
    CHECK(figure.several == (figure.figure.level == "level"));
  }
}

TEST_CASE("WhatIf: unreadable, unknown and out-of-range figures are refused") {
  for (const std::string text : {"",
                                 "*2",
                                 "level.alpha_s",
                                 "level.alpha_s*",
                                 "level.alpha_s*x",
                                 "level.alpha_s*2x",
                                 "level.alpha_s*inf",
                                 "level.alpha_s/2"}) {
    CHECK(problem_of([&] { parse_what_if(text); }).file == "--what-if");
  }
  const InputProblem unknown = problem_of([] { with("rack.alpha_s*2"); });
  CHECK(contains(unknown.allowed, "\"cluster.\""));
  CHECK(contains(unknown.allowed, "copy_s_per_byte"));
  for (const std::string text : {"node.alphas*2",
                                 "overlap_efficiency=2",
                                 "memory_bytes=-1",
                                 "level.beta_s_per_byte=-1",
                                 "cluster.shared_by=0",
                                 "memory_bytes*1e300"}) {
    CAPTURE(text);
    CHECK(problem_of([&] { with(text); }).file == "--what-if");
  }
}

TEST_CASE("WhatIf: duplex factors are 1 to 2, and measured ones beyond may come closer") {
  Platform measured = two_levels();
  measured.levels[0].duplex_factor = 4.0;
  measured.levels[1].duplex_factor = 0.9;
  const MachineFigure node = figure_of("node", "duplex_factor");
  const MachineFigure cluster = figure_of("cluster", "duplex_factor");
  CHECK(factors_of(node, measured).minimum == 0.25);
  CHECK(factors_of(node, measured).maximum == 1.0);
  CHECK(factors_of(cluster, measured).minimum == 1.0);
  CHECK(factors_of(cluster, measured).maximum * 0.9 == relative(2.0));
  Profile profile;
  for (const std::string text : {"node.duplex_factor*0.5", "cluster.duplex_factor=1.5"}) {
    CAPTURE(text);
    Platform platform = measured;
    CHECK_NOTHROW(apply(parse_what_if(text), platform, profile));
  }
  for (const std::string text : {"level.duplex_factor*0.98",
                                 "node.duplex_factor*1.1",
                                 "node.duplex_factor=0.5",
                                 "cluster.duplex_factor=0.8"}) {
    CAPTURE(text);
    Platform platform = measured;
    const InputProblem problem = problem_of([&] { apply(parse_what_if(text), platform, profile); });
    CHECK(problem.file == "--what-if");
    CHECK(problem.allowed.find("between 1") != std::string::npos);
  }
}

TEST_CASE("WhatIf: measured exchanges have a duplex factor for each size") {
  Platform measured = two_levels();
  measured.levels[0].exchange_segments = {{100, 1.25, 0.625}, {200, 3.5, 0.4375}};
  const MachineFigure node = figure_of("node", "duplex_factor");
  CHECK(factors_of(node, measured).minimum * 1.25 == relative(1.0));
  CHECK(factors_of(node, measured).maximum * 1.75 == relative(2.0));
  const auto changed = [&](const std::string& text) {
    Platform platform = measured;
    Profile profile;
    apply(parse_what_if(text), platform, profile);
    return platform.levels[0];
  };
  const std::vector<Segment> faster{{100, 1.125, 0.5625}, {200, 3.15, 0.39375}};
  CHECK(changed("node.duplex_factor*0.9").exchange_segments == faster);
  CHECK(changed("node.duplex_factor*0.9").segments == measured.levels[0].segments);
  CHECK(changed("node.duplex_factor=1.5").exchange_segments.empty());
  CHECK(changed("node.duplex_factor=1.5").duplex_factor == 1.5);
  CHECK(changed("node.alpha_s*2").exchange_segments[1].alpha_s == 7.0);
  CHECK(problem_of([&] { changed("node.duplex_factor*1.2"); }).file == "--what-if");
  CHECK(problem_of([&] { changed("node.duplex_factor*0.5"); }).file == "--what-if");
  // Other figures may be set to any value, also where exchanges then take three times as long.
  measured.levels[0].exchange_segments = {{100, 3.0, 0.5}, {200, 9.0, 0.25}};
  CHECK(changed("node.beta_s_per_byte=0.001").exchange_segments[1].beta_s_per_byte == 0.001);
}

TEST_CASE("WhatIf: changes that make a figure infinite together are refused") {
  Platform platform = two_levels();
  Profile profile = two_kernels();
  apply(parse_what_if("level.duplex_factor=1.5"), platform, profile);
  const WhatIf second = parse_what_if("level.duplex_factor*1.7e308");
  CHECK(problem_of([&] { apply(second, platform, profile); }).file == "--what-if");
}

TEST_CASE("WhatIf: kernels that the profile lacks, and times that are set, are refused") {
  Platform platform = two_levels();
  for (const std::string text : {"kernel.pooling*2", "kernel=2", "kernel*0", "kernel.relu*-1"}) {
    CAPTURE(text);
    Profile profile = two_kernels();
    CHECK(problem_of([&] { apply(parse_what_if(text), platform, profile); }).file == "--what-if");
  }
}

TEST_CASE("WhatIf: a multiplied figure is as after a change of it") {
  for (const std::string text : {"level.alpha_s", "node.beta_s_per_byte", "copy_s_per_byte"}) {
    CAPTURE(text);
    const WhatIf change = parse_what_if(text + "*2");
    Platform changed = two_levels();
    Profile profile = two_kernels();
    apply(change, changed, profile);
    Platform multiplied = two_levels();
    multiply(change.figure, 2.0, multiplied);
    CHECK(to_json(multiplied) == to_json(changed));
    CHECK(to_json(multiplied) != to_json(two_levels()));
  }
  Platform platform = two_levels();
  CHECK_THROWS_AS(multiply({.name = "colour"}, 2.0, platform), std::logic_error);
}

}  // namespace cnnplan::test
