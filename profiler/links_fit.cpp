// Fits lines by least squares with Eigen, and cuts samples into segments by dynamic programming.
#include "profiler/links_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <Eigen/Dense>

namespace cnnplan {
namespace {

constexpr std::size_t least_samples = 2;
constexpr std::size_t most_segments = 8;
// Smaller errors are noise, and no segment is split to reduce them.
constexpr double noise = 0.01;
// A segment adds three parameters: alpha, beta and a break.
constexpr double parameters_per_segment = 3.0;

struct Line {
  double alpha_s = 0.0;
  double beta_s_per_byte = 0.0;
  double residual = 0.0;  // sum of squared relative errors
};

// Holds the rows of the relative problem: alpha / t + beta n / t = 1.
struct RelativeProblem {
  Eigen::MatrixX2d rows;

  explicit RelativeProblem(std::span<const LinkSample> samples)
      : rows(static_cast<Eigen::Index>(samples.size()), 2) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double time_s = samples[i].seconds();
      rows(static_cast<Eigen::Index>(i), 0) = 1.0 / time_s;
      rows(static_cast<Eigen::Index>(i), 1) = static_cast<double>(samples[i].bytes) / time_s;
    }
  }

  Line line(const Eigen::Vector2d& solution) const {
    const Eigen::VectorXd error = rows * solution - Eigen::VectorXd::Ones(rows.rows());
    return {solution(0), solution(1), error.squaredNorm()};
  }

  // Solves the least squares problem with the other parameter held at 0.
  Line single(Eigen::Index parameter) const {
    Eigen::Vector2d solution = Eigen::Vector2d::Zero();
    solution(parameter) = rows.col(parameter).sum() / rows.col(parameter).squaredNorm();
    return line(solution);
  }

  // Columns differ by many orders of magnitude, so they are scaled to norm 1 before the solution.
  Line free() const {
    const Eigen::Vector2d scale = rows.colwise().norm();
    const Eigen::MatrixX2d scaled = rows * scale.cwiseInverse().asDiagonal();
    const Eigen::Vector2d solution =
        scaled.colPivHouseholderQr().solve(Eigen::VectorXd::Ones(rows.rows()));
    return line(solution.cwiseQuotient(scale));
  }
};

Line fit_line(std::span<const LinkSample> samples) {
  const RelativeProblem problem(samples);
  const Line best = problem.free();
  if (best.alpha_s >= 0 && best.beta_s_per_byte >= 0) return best;
  const Line constant = problem.single(0);
  const Line proportional = problem.single(1);
  return constant.residual < proportional.residual ? constant : proportional;
}

// Holds the best cut of the first samples into a number of segments.
struct Cut {
  double residual = std::numeric_limits<double>::infinity();
  std::size_t last_begin = 0;  // first sample of the last segment
};

// Returns cuts[k][end], the best cut of samples [0, end) into k + 1 segments.
std::vector<std::vector<Cut>> best_cuts(std::span<const LinkSample> samples) {
  const std::size_t count = samples.size();
  std::vector<std::vector<Cut>> cuts(most_segments, std::vector<Cut>(count + 1));
  for (std::size_t begin = 0; begin < count; ++begin) {
    const std::size_t least = begin == 0 ? std::min(count, least_samples) : least_samples;
    for (std::size_t end = begin + least; end <= count; ++end) {
      const double residual = fit_line(samples.subspan(begin, end - begin)).residual;
      if (begin == 0) cuts[0][end] = {residual, 0};
      for (std::size_t k = 1; begin > 0 && k < most_segments; ++k) {
        const double sum = cuts[k - 1][begin].residual + residual;
        if (sum < cuts[k][end].residual) cuts[k][end] = {sum, begin};
      }
    }
  }
  return cuts;
}

std::size_t best_segment_count(const std::vector<std::vector<Cut>>& cuts, std::size_t samples) {
  const auto count = static_cast<double>(samples);
  std::size_t best = 0;
  double best_score = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const double variance = cuts[k][samples].residual / count + noise * noise;
    const double parameters = parameters_per_segment * static_cast<double>(k + 1);
    const double score = count * std::log(variance) + parameters * std::log(count);
    if (score < best_score) {
      best_score = score;
      best = k;
    }
  }
  return best;
}

// Returns the first sample of each segment, ascending, and the end.
std::vector<std::size_t> segment_bounds(std::span<const LinkSample> samples) {
  const auto cuts = best_cuts(samples);
  std::vector<std::size_t> bounds{samples.size()};
  for (std::size_t k = best_segment_count(cuts, samples.size()) + 1; k-- > 0;) {
    bounds.push_back(cuts[k][bounds.back()].last_begin);
  }
  std::reverse(bounds.begin(), bounds.end());
  return bounds;
}

FitError error_of(std::span<const LinkSample> samples, const std::vector<Segment>& segments) {
  std::vector<double> predicted_s;
  for (const LinkSample& sample : samples) {
    predicted_s.push_back(segment_time_s(segments, static_cast<double>(sample.bytes)));
  }
  return fit_error(samples, predicted_s);
}

void check(std::span<const LinkSample> samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool ascends = i == 0 || samples[i - 1].bytes < samples[i].bytes;
    if (!ascends || !(samples[i].seconds() > 0)) {
      throw std::logic_error("samples to fit must ascend in bytes and have positive times");
    }
  }
}

}  // namespace

LinkFit fit_segments(std::span<const LinkSample> samples) {
  check(samples);
  LinkFit fit;
  if (samples.empty()) return fit;
  const std::vector<std::size_t> bounds = segment_bounds(samples);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const auto part = samples.subspan(bounds[i], bounds[i + 1] - bounds[i]);
    const Line line = fit_line(part);
    fit.segments.push_back({.max_bytes = part.back().bytes,
                            .alpha_s = line.alpha_s,
                            .beta_s_per_byte = line.beta_s_per_byte});
    fit.segment_errors.push_back(error_of(part, {fit.segments.back()}));
  }
  fit.error = error_of(samples, fit.segments);
  return fit;
}

double fit_s_per_byte(std::span<const LinkSample> samples) {
  check(samples);
  return samples.empty() ? 0.0 : RelativeProblem(samples).single(1).beta_s_per_byte;
}

FitError fit_error(std::span<const LinkSample> samples, std::span<const double> predicted_s) {
  if (samples.size() != predicted_s.size()) throw std::logic_error("a prediction is missing");
  FitError error{.samples = static_cast<int>(samples.size())};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double measured_s = samples[i].seconds();
    const double relative = std::abs(predicted_s[i] - measured_s) / measured_s;
    error.mean += relative / static_cast<double>(samples.size());
    error.maximum = std::max(error.maximum, relative);
  }
  return error;
}

}  // namespace cnnplan
