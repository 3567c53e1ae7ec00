// Fits alpha, beta and gamma to measured times, with pure functions of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/platform/platform.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan {

// Holds the time of one message, collective or local pass of `bytes`.
struct LinkSample {
  std::int64_t bytes = 0;
  Statistics time{};
  // Between nodes, repetitions of a collective may gather around two times, a short and a long one,
  // and the median may be either of them.
  bool has_two_times = false;
  auto operator<=>(const LinkSample&) const = default;
  // Returns the time that counts: the median, or the upper quartile where there may be two times.
  // An algorithm that is slow in a part of its repetitions then counts as slow.
  double seconds() const { return has_two_times ? time.upper_quartile_s : time.median_s; }
};

// Summarises relative errors |fit - measured| / measured.
struct FitError {
  int samples = 0;
  double mean = 0.0;
  double maximum = 0.0;
  auto operator<=>(const FitError&) const = default;
};

// Holds a fitted curve. All of its errors are relative.
struct LinkFit {
  std::vector<Segment> segments;
  std::vector<FitError> segment_errors;  // by segment
  FitError error;                        // for all samples
  auto operator<=>(const LinkFit&) const = default;
};

// Fits a piecewise alpha + bytes beta to the times by least squares of the relative error, with
// alpha and beta not negative. It considers every way to cut the samples into up to eight segments
// of at least two samples. A single sample is one segment. A further segment must pay for its
// parameters (Bayesian information criterion). Without samples, the fit has no segments.
// @throws std::logic_error unless samples ascend in bytes and have positive times
LinkFit fit_segments(std::span<const LinkSample> samples);

// Returns the seconds per byte b for which bytes * b fits the times best, by least squares of the
// relative error. Returns 0 without samples.
// @throws as fit_segments()
double fit_s_per_byte(std::span<const LinkSample> samples);

// Returns the error of predictions for these samples.
// @throws std::logic_error unless there are as many predictions as samples
FitError fit_error(std::span<const LinkSample> samples, std::span<const double> predicted_s);

}  // namespace cnnplan
