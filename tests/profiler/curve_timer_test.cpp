// Checks which curves are timed further where time runs out.
#include "profiler/curve_timer.hpp"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

LinkCurve timed_curve(CollectiveKind half, AllreduceAlgorithm algorithm, double time_s) {
  LinkCurve curve{
      .kind = LinkCurveKind::collective, .collective = half, .algorithm = algorithm, .samples = {}};
  curve.samples.push_back({.bytes = 1 << 20, .time = {.count = 3, .median_s = time_s}});
  return curve;
}

using Timed = std::vector<std::pair<CollectiveKind, AllreduceAlgorithm>>;

struct Sweep {
  std::vector<LinkCurve> curves;
  double time_s = 0.0;  // for curves to time

  // Returns the algorithms of the curves that have time.
  Timed timed() {
    CurveRefs all;
    for (LinkCurve& curve : curves) all.push_back(&curve);
    Timed kinds;
    const auto has_time = [this](double round_s) { return round_s <= time_s; };
    for (const LinkCurve* curve : curves_with_time(all, has_time)) {
      kinds.emplace_back(curve->collective, curve->algorithm);
    }
    return kinds;
  }
};

using enum CollectiveKind;
using enum AllreduceAlgorithm;

// Two phases of a ring may fall out of step. Halves have one phase.
Sweep between_slow_nodes() {
  return {{timed_curve(allreduce, library, 4.0),
           timed_curve(allreduce, ring, 3.1),
           timed_curve(allreduce, recursive_doubling, 2.0),
           timed_curve(allreduce, rabenseifner, 2.9),
           timed_curve(reduce_scatter, ring, 1.0),
           timed_curve(reduce_scatter, library, 1.7)}};
}

}  // namespace

TEST_CASE("curves_with_time: all curves go on while there is time for them") {
  Sweep sweep = between_slow_nodes();
  sweep.time_s = 14.8;
  CHECK(sweep.timed().size() == sweep.curves.size());
}

TEST_CASE("curves_with_time: those far from the fastest of their kind are the first to end") {
  Sweep sweep = between_slow_nodes();
  sweep.time_s = 14.6;
  CHECK(sweep.timed() ==
        Timed{{allreduce, recursive_doubling}, {allreduce, rabenseifner}, {reduce_scatter, ring}});
}

TEST_CASE("curves_with_time: whole sums go on without their halves, or nothing goes on") {
  Sweep sweep = between_slow_nodes();
  sweep.time_s = 5.0;
  CHECK(sweep.timed() == Timed{{allreduce, recursive_doubling}, {allreduce, rabenseifner}});
  sweep.time_s = 4.8;
  CHECK(sweep.timed().empty());
}

TEST_CASE("curves_with_time: messages and exchanges end together") {
  Sweep sweep;
  for (LinkCurveKind kind :
       {LinkCurveKind::message, LinkCurveKind::exchange, LinkCurveKind::exchanges}) {
    sweep.curves.push_back(timed_curve(allreduce, library, 1.0 + static_cast<double>(kind)));
    sweep.curves.back().kind = kind;
  }
  sweep.time_s = 6.1;
  CHECK(sweep.timed().size() == 3);
  sweep.time_s = 5.9;
  CHECK(sweep.timed().empty());
}

}  // namespace cnnplan
