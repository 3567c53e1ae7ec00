// Decides after each size which curves have time for the next one.
#include "profiler/curve_timer.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "planner/platform/node_ranks.hpp"

namespace cnnplan {
namespace {

// An algorithm whose two phases fall out of step takes twice as long. The factor tells it from the
// others, and keeps those that may be the fastest for a larger size.
constexpr double most_times_fastest = 1.5;

bool may_have_two_times(const LinkCurve& curve) {
  return curve.kind == LinkCurveKind::collective && curve.level == level_of_nodes;
}

double last_s(const LinkCurve& curve) {
  return curve.samples.back().seconds();
}

bool is_same_kind(const LinkCurve& a, const LinkCurve& b) {
  return a.kind == b.kind && a.collective == b.collective;
}

CurveRefs close_to_fastest(const CurveRefs& curves) {
  CurveRefs close;
  for (LinkCurve* curve : curves) {
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const LinkCurve* other : curves) {
      if (is_same_kind(*curve, *other)) fastest_s = std::min(fastest_s, last_s(*other));
    }
    if (last_s(*curve) <= most_times_fastest * fastest_s) close.push_back(curve);
  }
  return close;
}

CurveRefs without_halves(CurveRefs curves) {
  std::erase_if(curves, [](const LinkCurve* curve) {
    return curve->kind == LinkCurveKind::collective &&
           curve->collective != CollectiveKind::allreduce;
  });
  return curves;
}

double round_s(const CurveRefs& curves) {
  double sum_s = 0.0;
  for (const LinkCurve* curve : curves) sum_s += last_s(*curve);
  return sum_s;
}

}  // namespace

CurveRefs curves_with_time(const CurveRefs& curves,
                           const std::function<bool(double round_s)>& has_time) {
  const CurveRefs close = close_to_fastest(curves);
  for (const CurveRefs& choice : {curves, close, without_halves(close)}) {
    if (!choice.empty() && has_time(round_s(choice))) return choice;
  }
  return {};
}

std::vector<std::int64_t> sizes_of(const LinkOptions& options) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = options.least_bytes; bytes <= options.most_bytes; bytes *= 2) {
    sizes.push_back(bytes);
  }
  return sizes;
}

void CurveTimer::time(const Communicator& group,
                      std::vector<LinkCurve>& curves,
                      const BodyOf& body_of) {
  budget_.begin_sweep(static_cast<int>(curves.size()));
  CurveRefs timed;
  for (LinkCurve& curve : curves) timed.push_back(&curve);
  for (std::int64_t bytes : sizes_of(options_)) {
    progress_.begin(curves.front().level + ", " + std::to_string(group.size()) + " ranks, " +
                    std::to_string(bytes) + " bytes");
    if (!timed.empty()) {
      time_size(group, bytes, timed, body_of);
      // The next size takes about twice as long.
      timed = curves_with_time(timed, [&](double last_round_s) {
        return budget_.has_time_for(2.0 * last_round_s, group);
      });
    }
    progress_.end();
  }
}

void CurveTimer::time_size(const Communicator& group,
                           std::int64_t bytes,
                           const CurveRefs& curves,
                           const BodyOf& body_of) const {
  std::vector<TimedBody> bodies;
  for (LinkCurve* curve : curves) bodies.push_back(body_of(*curve, bytes));
  const RepetitionOptions repetitions{.budget_s = options_.budget_s,
                                      .most_s = budget_.most_s(group)};
  const std::vector<Statistics> times = time_interleaved(group, repetitions, bodies);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves[i]->samples.push_back(
        {.bytes = bytes, .time = times[i], .has_two_times = may_have_two_times(*curves[i])});
  }
}

}  // namespace cnnplan
