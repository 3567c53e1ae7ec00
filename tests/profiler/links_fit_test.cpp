// Fits of numbers whose alpha and beta are known.
#include "profiler/links_fit.hpp"

#include <random>
#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t longest = std::int64_t{64} << 20;

// Returns times of `truth`, each off by at most the relative `noise`.
std::vector<LinkSample> samples_of(const std::vector<Segment>& truth,
                                   double noise,
                                   unsigned seed = 3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  std::vector<LinkSample> samples;
  for (std::int64_t bytes = 8; bytes <= longest; bytes *= 2) {
    const double time_s = segment_time_s(truth, static_cast<double>(bytes)) * factor(random);
    samples.push_back({.bytes = bytes, .time = {.count = 10, .median_s = time_s}});
  }
  return samples;
}

const std::vector<Segment> eager_and_rendezvous{
    {.max_bytes = 4096, .alpha_s = 0.3e-6, .beta_s_per_byte = 0.1e-9},
    {.max_bytes = 1 << 20, .alpha_s = 5e-6, .beta_s_per_byte = 0.05e-9},
    {.max_bytes = longest, .alpha_s = 5e-6, .beta_s_per_byte = 0.2e-9}};

const std::vector<Segment> one_line{
    {.max_bytes = longest, .alpha_s = 1e-6, .beta_s_per_byte = 1e-10}};

// Checks the latency of short messages and the bandwidth of long ones.
void check_ends(const LinkFit& fit, const std::vector<Segment>& truth, double alpha, double beta) {
  CHECK(fit.segments.front().alpha_s == relative(truth.front().alpha_s, alpha));
  CHECK(fit.segments.back().beta_s_per_byte == relative(truth.back().beta_s_per_byte, beta));
}

}  // namespace

TEST_CASE("fit_segments: finds the breaks, alpha and beta of exact samples") {
  const LinkFit fit = fit_segments(samples_of(eager_and_rendezvous, 0.0));
  REQUIRE(fit.segments.size() == eager_and_rendezvous.size());
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    CHECK(fit.segments[i].max_bytes == eager_and_rendezvous[i].max_bytes);
    CHECK(fit.segments[i].alpha_s == relative(eager_and_rendezvous[i].alpha_s));
    CHECK(fit.segments[i].beta_s_per_byte == relative(eager_and_rendezvous[i].beta_s_per_byte));
  }
  CHECK(fit.error.maximum < 1e-9);
}

TEST_CASE("fit_segments: noise of 5 % leaves an error of 5 % and no further segments") {
  const LinkFit fit = fit_segments(samples_of(eager_and_rendezvous, 0.05));
  CHECK(fit.segments.size() <= eager_and_rendezvous.size() + 1);
  CHECK(fit.error.mean < 0.05);
  CHECK(fit.error.samples == 24);
  CHECK(fit.segment_errors.size() == fit.segments.size());
}

TEST_CASE("fit_segments: one line stays one segment") {
  CHECK(fit_segments(samples_of(one_line, 0.02)).segments.size() == 1);
}

TEST_CASE("fit_segments: noise of 5 % moves alpha by at most 10 % and beta by at most 6 %") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    for (const auto& truth : {one_line, eager_and_rendezvous}) {
      check_ends(fit_segments(samples_of(truth, 0.05, seed)), truth, 0.10, 0.06);
    }
  }
}

TEST_CASE("fit_segments: a size that takes ten times as long moves alpha and beta by at most 2 %") {
  const std::vector<LinkSample> exact = samples_of(one_line, 0.0);
  for (std::size_t slow = 0; slow < exact.size(); ++slow) {
    CAPTURE(slow);
    std::vector<LinkSample> samples = exact;
    samples[slow].time.median_s *= 10;
    const LinkFit fit = fit_segments(samples);
    CHECK(fit.segments.size() == 1);
    check_ends(fit, one_line, 0.02, 0.02);
    CHECK(fit.error.maximum == relative(0.9, 0.01));  // which shows that one size is off
  }
}

TEST_CASE("fit_segments: slow repetitions do not count while they are fewer than half") {
  std::vector<LinkSample> samples;
  for (const LinkSample& exact : samples_of(eager_and_rendezvous, 0.0)) {
    std::vector<double> times_s(10, exact.time.median_s);
    for (std::size_t i = 0; i < 4; ++i) times_s[2 * i] *= 20;
    samples.push_back({.bytes = exact.bytes, .time = summarize(times_s)});
  }
  CHECK(fit_segments(samples).error.maximum < 1e-9);
  check_ends(fit_segments(samples), eager_and_rendezvous, 1e-9, 1e-9);
}

TEST_CASE("fit_segments: alpha and beta are never negative") {
  std::vector<LinkSample> falling;
  std::vector<LinkSample> steep;
  for (std::int64_t i = 1; i <= 4; ++i) {
    const auto x = static_cast<double>(i);
    falling.push_back({.bytes = 100 * i, .time = {.median_s = 1.0 / x}});
    steep.push_back({.bytes = 100 * i, .time = {.median_s = x * x * x}});
  }
  for (const auto& samples : {falling, steep}) {
    for (const Segment& segment : fit_segments(samples).segments) {
      CHECK(segment.alpha_s >= 0.0);
      CHECK(segment.beta_s_per_byte >= 0.0);
    }
  }
  CHECK(fit_segments(falling).segments.front().beta_s_per_byte == 0.0);
  CHECK(fit_segments(steep).segments.front().alpha_s == 0.0);
}

TEST_CASE("fit_segments: few samples, none, and samples that cannot be fitted") {
  CHECK(fit_segments({}).segments.empty());
  const std::vector<LinkSample> two{{.bytes = 10, .time = {.median_s = 2.0}},
                                    {.bytes = 20, .time = {.median_s = 3.0}}};
  const LinkFit fit = fit_segments(two);
  REQUIRE(fit.segments.size() == 1);
  CHECK(fit.segments[0].alpha_s == relative(1.0));
  CHECK(fit.segments[0].beta_s_per_byte == relative(0.1));
  const std::vector<LinkSample> unordered{two[1], two[0]};
  CHECK_THROWS_AS(fit_segments(unordered), std::logic_error);
  const std::vector<LinkSample> timeless{{.bytes = 10, .time = {}}};
  CHECK_THROWS_AS(fit_segments(timeless), std::logic_error);
}

TEST_CASE("fit_s_per_byte: weighs every size alike") {
  const std::vector<LinkSample> samples{{.bytes = 1000, .time = {.median_s = 1.0}},
                                        {.bytes = 1'000'000, .time = {.median_s = 1000.0}}};
  CHECK(fit_s_per_byte(samples) == relative(1e-3));
  CHECK(fit_s_per_byte({}) == 0.0);
}

TEST_CASE("fit_error: mean and maximum of the relative errors") {
  const std::vector<LinkSample> samples{{.bytes = 1, .time = {.median_s = 2.0}},
                                        {.bytes = 2, .time = {.median_s = 4.0}}};
  const std::vector<double> predicted{1.0, 5.0};
  const FitError error = fit_error(samples, predicted);
  CHECK(error.mean == relative(0.375));
  CHECK(error.maximum == relative(0.5));
  CHECK_THROWS_AS(fit_error(samples, std::vector<double>{}), std::logic_error);
}

}  // namespace cnnplan
