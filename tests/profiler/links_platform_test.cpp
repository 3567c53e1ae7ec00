// Checks the platforms that follow from given measurements.
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "profiler/links_measure.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

LinkCurve line(LinkCurveKind kind, int ranks, double alpha_s, double beta_s_per_byte) {
  LinkCurve curve{.kind = kind, .level = "node", .ranks = ranks, .samples = {}};
  for (std::int64_t bytes = 8; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = alpha_s + beta_s_per_byte * static_cast<double>(bytes);
    curve.samples.push_back({.bytes = bytes, .time = {.count = 10, .median_s = time_s}});
  }
  return curve;
}

LinkCurve sum_line(AllreduceAlgorithm algorithm,
                   int ranks,
                   double alpha_s,
                   double beta_s_per_byte) {
  LinkCurve curve = line(LinkCurveKind::collective, ranks, alpha_s, beta_s_per_byte);
  curve.algorithm = algorithm;
  return curve;
}

LinkCurve half_line(CollectiveKind half, AllreduceAlgorithm algorithm, double alpha_s) {
  LinkCurve curve = sum_line(algorithm, 4, alpha_s, 2e-10);
  curve.collective = half;
  return curve;
}

LinkMeasurements four_ranks() {
  LinkMeasurements measurements{
      .levels = {{.name = "node", .ranks_per_group = 4, .segments = {}}},
      .curves = {line(LinkCurveKind::message, 2, 1e-6, 1e-10),
                 line(LinkCurveKind::exchange, 2, 1.5e-6, 1.5e-10),
                 line(LinkCurveKind::exchanges, 2, 3.6e-6, 1.5e-10),
                 sum_line(AllreduceAlgorithm::library, 2, 2e-6, 3e-10),
                 sum_line(AllreduceAlgorithm::ring, 2, 9e-6, 9e-10),
                 sum_line(AllreduceAlgorithm::library, 4, 5e-6, 4e-10),
                 sum_line(AllreduceAlgorithm::rabenseifner, 4, 8e-6, 5e-10),
                 sum_line(AllreduceAlgorithm::ring, 4, 6e-6, 3e-10)},
      .local = {},
      .device = "a CPU",
      .memory_bytes = 1000,
      .process_bytes = 70};
  measurements.local.adds = {{.bytes = 100, .time = {.median_s = 2e-9}}};
  measurements.local.copies = {{.bytes = 100, .time = {.median_s = 5e-9}}};
  measurements.local.overlap = {.compute_s = 1.0, .exchange_s = 2.0, .both_s = 2.25};
  measurements.local.launch_s = 1e-7;
  return measurements;
}

}  // namespace

TEST_CASE("platform_of: messages one way, both ways and several at once") {
  const Platform platform = platform_of(four_ranks());
  REQUIRE(platform.levels.size() == 1);
  const Level& level = platform.levels.front();
  CHECK(level.ranks_per_group == 4);
  REQUIRE(level.segments.size() == 1);
  CHECK(level.segments[0].alpha_s == relative(1e-6));
  CHECK(level.segments[0].beta_s_per_byte == relative(1e-10));
  CHECK(level.segments[0].max_bytes == std::numeric_limits<std::int64_t>::max());
  REQUIRE(level.exchange_segments.size() == 1);
  CHECK(level.exchange_segments[0].alpha_s == relative(1.5e-6));
  CHECK(level.exchange_segments[0].beta_s_per_byte == relative(1.5e-10));
  CHECK(level.exchange_segments[0].max_bytes == std::numeric_limits<std::int64_t>::max());
  CHECK(level.gap_s == relative(3e-7));
}

TEST_CASE("platform_of: exchanges keep their own sizes, however messages behave") {
  LinkMeasurements measurements = four_ranks();
  // A link with a burst lets single messages up to 256 KiB pass at twice its rate.
  const auto seconds = [](std::int64_t bytes, double factor) {
    return 1e-6 + factor * 1e-10 * static_cast<double>(bytes);
  };
  LinkCurve& message = measurements.curves[0];
  LinkCurve& exchange = measurements.curves[1];
  for (std::size_t i = 0; i < message.samples.size(); ++i) {
    const std::int64_t bytes = message.samples[i].bytes;
    message.samples[i].time.median_s = seconds(bytes, bytes <= 256 << 10 ? 1.0 : 2.0);
    exchange.samples[i].time.median_s = seconds(bytes, bytes <= 32 << 10 ? 1.0 : 2.0);
  }
  const Platform platform = platform_of(measurements);
  CHECK(prediction_error(platform, message).maximum < 0.02);
  CHECK(prediction_error(platform, exchange).maximum < 0.02);
}

TEST_CASE("platform_of: ring steps come from the ring of most ranks, by bytes of a step") {
  const Platform platform = platform_of(four_ranks());
  const Level& level = platform.levels.front();
  REQUIRE(level.ring_segments.size() == 1);
  CHECK(level.ring_segments[0].alpha_s == relative(6e-6 / 6));
  CHECK(level.ring_segments[0].beta_s_per_byte == relative(4 * 3e-10 / 6));
}

TEST_CASE("platform_of: halves of an allreduce that were timed are apart from the whole") {
  LinkMeasurements measurements = four_ranks();
  const Platform whole = platform_of(measurements);
  for (CollectiveKind half : {CollectiveKind::reduce_scatter, CollectiveKind::allgather}) {
    const double alpha_s = half == CollectiveKind::allgather ? 9e-6 : 12e-6;
    measurements.curves.push_back(half_line(half, AllreduceAlgorithm::ring, alpha_s));
    measurements.curves.push_back(half_line(half, AllreduceAlgorithm::library, alpha_s));
  }
  const Platform platform = platform_of(measurements);
  const Level& level = platform.levels.front();
  CHECK(level.ring_segments == whole.levels.front().ring_segments);
  CHECK(level.reduce_scatter_segments.at(0).alpha_s == relative(12e-6 / 3));
  CHECK(level.reduce_scatter_segments.at(0).beta_s_per_byte == relative(4 * 2e-10 / 3));
  CHECK(level.allgather_segments.at(0).alpha_s == relative(9e-6 / 3));
  REQUIRE(platform.allreduce.size() == whole.allreduce.size() + 2);
  CHECK(platform.allreduce[3].kind == CollectiveKind::reduce_scatter);
  CHECK(platform.allreduce[4].segments.at(0).alpha_s == relative(9e-6));
  for (const LinkCurve& curve : measurements.curves) {
    if (curve.collective == CollectiveKind::allreduce) continue;
    CHECK(prediction_error(platform, curve).maximum < 1e-9);
    CHECK(prediction_error(whole, curve).maximum > 0.1);
  }
}

TEST_CASE("platform_of: collectives by algorithm and ranks, local costs, what else was found") {
  const Platform platform = platform_of(four_ranks());
  REQUIRE(platform.allreduce.size() == 3);
  CHECK(platform.allreduce[2].algorithm == AllreduceAlgorithm::rabenseifner);
  CHECK(platform.allreduce[1].algorithm == AllreduceAlgorithm::library);
  CHECK(platform.allreduce[1].ranks == 4);
  CHECK(platform.allreduce[1].ranks_per_node == 4);
  CHECK(platform.allreduce[1].groups_at_once == 1);
  CHECK(platform.allreduce[1].segments[0].alpha_s == relative(5e-6));
  CHECK(platform.gamma_s_per_byte == relative(2e-11));
  CHECK(platform.copy_s_per_byte == relative(5e-11));
  CHECK(platform.overlap_efficiency == relative(0.75));
  CHECK(platform.launch_s == 1e-7);
  CHECK(platform.device == "a CPU");
  CHECK(platform.memory_bytes == 1000);
  CHECK(platform.process_bytes == 70);
  CHECK(platform.measured);
}

TEST_CASE("prediction_error: exact times are predicted exactly, others are off by as much") {
  LinkMeasurements measurements = four_ranks();
  const Platform platform = platform_of(measurements);
  for (const LinkCurve& curve : measurements.curves) {
    CAPTURE(static_cast<int>(curve.kind));
    CAPTURE(curve.ranks);
    const FitError error = prediction_error(platform, curve);
    CHECK(error.samples == static_cast<int>(curve.samples.size()));
    // The steps of the ring of four are those of all rings.
    const bool other_ring = curve.is_ring() && curve.ranks == 2;
    CHECK((error.maximum < 1e-9) != other_ring);
  }
  LinkCurve slower = measurements.curves.front();
  for (LinkSample& sample : slower.samples) sample.time = scaled(sample.time, 2.0);
  CHECK(prediction_error(platform, slower).mean == relative(0.5));
}

TEST_CASE("fit_of: a ring is fitted by its steps, all else as it is") {
  const LinkMeasurements measurements = four_ranks();
  const LinkFit message = fit_of(measurements.curves.front());
  REQUIRE(message.segments.size() == 1);
  CHECK(message.segments[0].max_bytes == 1 << 20);
  const LinkFit ring = fit_of(measurements.curves.back());
  REQUIRE(ring.segments.size() == 1);
  CHECK(ring.segments[0].max_bytes == 1 << 18);
  CHECK(ring.error.maximum < 1e-9);
}

TEST_CASE("platform_of: what was not measured keeps its default") {
  LinkMeasurements measurements = four_ranks();
  measurements.curves.clear();
  const Platform platform = platform_of(measurements);
  CHECK(platform.levels.front().segments == default_platform(4).levels.front().segments);
  CHECK(platform.levels.front().ring_segments.empty());
  CHECK(platform.allreduce.empty());
}

TEST_CASE("short_budget_text: names the curves that end before the largest size") {
  LinkMeasurements measurements = four_ranks();
  LinkOptions options{.most_bytes = 1 << 20, .time_budget_s = 1.5};
  CHECK(short_budget_text(measurements, options) == "");
  measurements.curves.front().samples.resize(3);
  const std::string text = short_budget_text(measurements, options);
  const std::string count = std::to_string(measurements.curves.size());
  CHECK(text.starts_with("--time-budget 1.5 was too short for all sizes: 1 of " + count));
  CHECK(text.find("before 1.00 MiB, the first at ") != std::string::npos);
}

TEST_CASE("platform_of: where each rank has a node, no collective has ranks that share one") {
  LinkMeasurements measurements = four_ranks();
  measurements.levels.front().name = "cluster";
  for (LinkCurve& curve : measurements.curves) curve.level = "cluster";
  const Platform platform = platform_of(measurements);
  REQUIRE(!platform.allreduce.empty());
  for (const AllreduceFit& fit : platform.allreduce) CHECK(fit.ranks_per_node == 1);
}

TEST_CASE("overlap_efficiency: hidden part of the shorter time") {
  CHECK(overlap_efficiency({.compute_s = 2, .exchange_s = 1, .both_s = 2}) == 1.0);
  CHECK(overlap_efficiency({.compute_s = 2, .exchange_s = 1, .both_s = 3.5}) == 0.0);
  CHECK(overlap_efficiency({.compute_s = 2, .exchange_s = 1, .both_s = 1.5}) == 1.0);
  CHECK(overlap_efficiency({}) == 0.0);
}

TEST_CASE("LinkCurve: bandwidth of the message and of the bus") {
  const LinkCurve message{
      .kind = LinkCurveKind::message, .level = "node", .ranks = 2, .samples = {}};
  LinkCurve ring = message;
  ring.kind = LinkCurveKind::collective;
  ring.algorithm = AllreduceAlgorithm::ring;
  ring.ranks = 4;
  const LinkSample sample{.bytes = 1000, .time = {.median_s = 2.0}};
  CHECK(algorithm_bandwidth(sample) == 500.0);
  CHECK(bus_bandwidth(message, sample) == 500.0);
  CHECK(bus_bandwidth(ring, sample) == relative(750.0));
  ring.collective = CollectiveKind::allgather;
  CHECK(bus_bandwidth(ring, sample) == relative(375.0));
}

namespace {

// Makes a collective between nodes of 1, 2, 4, ... MiB, whose upper quartiles per MiB these are.
LinkCurve collective_between_nodes(const std::vector<double>& s_per_mib) {
  LinkCurve curve{.kind = LinkCurveKind::collective, .level = "cluster", .samples = {}};
  std::int64_t mib = 1;
  for (double slow_s : s_per_mib) {
    const double time_s = slow_s * static_cast<double>(mib);
    const Statistics time{.count = 4, .median_s = time_s / 2, .upper_quartile_s = time_s};
    curve.samples.push_back({.bytes = mib << 20, .time = time, .has_two_times = true});
    mib *= 2;
  }
  return curve;
}

double s_per_mib(const LinkCurve& curve, double mib) {
  return segment_time_s(fit_of(curve).segments, mib * (1 << 20)) / mib;
}

}  // namespace

TEST_CASE("fit_of: collectives with two times count as slow from the second slow size on") {
  LinkCurve curve = collective_between_nodes({0.009, 0.009, 0.017, 0.017, 0.009, 0.009});
  CHECK(replaced_samples(curve) == 2);
  CHECK(s_per_mib(curve, 8) == relative(0.017, 0.02));
  CHECK(s_per_mib(curve, 16) == relative(0.017, 0.02));  // 0.009 was luck
  CHECK(s_per_mib(curve, 32) == relative(0.017, 0.02));
  CHECK(s_per_mib(curve, 1) < 0.012);  // small sizes keep their times
  for (LinkSample& sample : curve.samples) sample.has_two_times = false;
  CHECK(replaced_samples(curve) == 0);
  CHECK(s_per_mib(curve, 16) == relative(0.0045, 0.02));  // the median
}

TEST_CASE("fit_of: one slow size of a collective alone does not count") {
  const LinkCurve curve = collective_between_nodes({0.0014, 0.0028, 0.0014, 0.0014, 0.0014});
  CHECK(replaced_samples(curve) == 1);
  for (double mib : {1.0, 2.0, 4.0, 16.0}) CHECK(s_per_mib(curve, mib) == relative(0.0014, 0.02));
}

TEST_CASE("fit_of: slow sizes of a collective count if others lie between them") {
  const LinkCurve curve = collective_between_nodes({1, 2, 1, 1, 2, 1, 1});
  CHECK(replaced_samples(curve) == 3);
  for (double mib : {16.0, 32.0, 64.0}) CHECK(s_per_mib(curve, mib) == relative(2.0, 0.02));
}

TEST_CASE("fit_of: times per byte that fall with the size stay, since latency counts there") {
  CHECK(replaced_samples(collective_between_nodes({8, 4.8, 3.3, 2.5, 2.1})) == 0);
  const LinkCurve curve = collective_between_nodes({8, 4.8, 3.3, 5, 2.1, 4.5, 1.9, 1.9});
  CHECK(s_per_mib(curve, 128) == relative(4.5, 0.02));  // the second slowest
  // A little more than a smaller size is no rule.
  const LinkCurve falling = collective_between_nodes({8, 4.8, 4.9, 3.3, 3.4, 2.1, 1.9, 1.9});
  CHECK(s_per_mib(falling, 128) == relative(1.9, 0.05));
}

TEST_CASE("fit_of: times per byte that grow with the size stay") {
  CHECK(replaced_samples(collective_between_nodes({1, 1.1, 1.3, 1.3, 2, 3})) == 0);
}

}  // namespace cnnplan
