// Times messages, collectives and local passes between the ranks that run it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/platform/platform.hpp"
#include "profiler/links_fit.hpp"
#include "profiler/local_costs.hpp"

namespace cnnplan {

struct LinkProgress {
  std::string what;  // e.g. "message, node, 4194304 bytes"
  int done = 0;
  int total = 1;
};

struct LinkOptions {
  std::int64_t least_bytes = 8;
  std::int64_t most_bytes = std::int64_t{64} << 20;
  double budget_s = 0.05;           // per size; ten repetitions are made in any case
  std::string device;               // as a backend's fingerprint names it
  Device* device_memory = nullptr;  // whose memory messages come from and go to
  bool nccl = false;                // the library's allreduce is NCCL's
  std::function<void(const LinkProgress&)> progress;  // on rank 0; may be empty
};

// `exchanges`: as `exchange`, the bytes in so many equal messages (messages_at_once).
enum class LinkCurveKind { message, exchange, exchanges, collective };

// Enough to tell the gap between messages from their latency.
inline constexpr int messages_at_once = 8;

// One time over the sizes, by powers of two.
struct LinkCurve {
  LinkCurveKind kind = LinkCurveKind::message;
  CollectiveKind collective = CollectiveKind::allreduce;       // where it is one
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::library;  // likewise
  std::string level = "node";
  int ranks = 2;
  std::vector<LinkSample> samples;
  // Of a collective, by sample: results on all ranks that were not right.
  std::vector<std::int64_t> wrong{};

  bool is_ring() const {
    return kind == LinkCurveKind::collective && algorithm == AllreduceAlgorithm::ring;
  }
};

struct LinkLevel {
  std::string name = "node";
  int ranks_per_group = 1;
  int shared_by = 1;
};

struct LinkMeasurements {
  std::vector<LinkLevel> levels;  // innermost first
  std::vector<LinkCurve> curves;
  LocalCosts local;
  std::string device;
  std::int64_t memory_bytes = 0;  // of one rank
};

// Collective over `world`; complete on rank 0. One rank measures local costs only.
LinkMeasurements measure_links(const Communicator& world, const LinkOptions& options);

// What is measured, fitted: a pure function.
Platform platform_of(const LinkMeasurements& measurements);

// Both. Collective over `world`; complete on rank 0.
Platform measure_platform(const Communicator& world, const LinkOptions& options);

// Times of a curve, fitted; of a ring, those of one of its steps, by the bytes of a step.
LinkFit fit_of(const LinkCurve& curve);

// How far the predictor's times on `platform` are from the medians of a curve.
FitError prediction_error(const Platform& platform, const LinkCurve& curve);

// Bytes per second: of the message, and of what a link carries for a collective.
double algorithm_bandwidth(const LinkSample& sample);
double bus_bandwidth(const LinkCurve& curve, const LinkSample& sample);

}  // namespace cnnplan
