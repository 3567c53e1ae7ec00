// Times messages, collectives and local passes between the ranks of the program.
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

// Says how far a measurement is.
struct LinkProgress {
  std::string what;  // e.g. "node, 2 ranks, 4194304 bytes"
  int done = 0;      // of `total` parts
  int total = 1;
};

// Says what to measure. All ranks pass equal options, except their memory and `progress`.
struct LinkOptions {
  std::int64_t least_bytes = 8;                      // the smallest size of a message
  std::int64_t most_bytes = std::int64_t{64} << 20;  // the largest size of a message
  double budget_s = 0.05;  // for a curve's repetitions at a size; at least ten if there is time
  // Everything together takes at most about this time, and the overlap of exchanges with work a
  // tenth of it. On slow links, large sizes have as few as three repetitions, and a curve ends at
  // the last size that fits. The fastest algorithms of whole sums go on longest.
  double time_budget_s = 60.0;
  std::string device;               // as a backend's fingerprint names it
  Device* device_memory = nullptr;  // not null; messages come from and go to its memory
  bool nccl = false;                // NCCL runs all collectives of the algorithm `library`
  std::int64_t process_bytes = 0;   // of an empty run, for the platform
  std::function<void(const LinkProgress&)> progress;  // on rank 0; may be empty
};

// Names what is timed. A `message` goes in one direction, and an `exchange` in both directions at
// once. `exchanges` is an `exchange` whose bytes go in messages_at_once equal messages.
enum class LinkCurveKind { message, exchange, exchanges, collective };

// With this number of messages, the gap between messages can be told from their latency.
inline constexpr int messages_at_once = 8;

// Holds the times of one kind of communication for sizes that are powers of two.
struct LinkCurve {
  LinkCurveKind kind = LinkCurveKind::message;
  CollectiveKind collective = CollectiveKind::allreduce;       // for a collective
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::library;  // for a collective
  std::string level = "node";       // the name of the level that messages cross
  int ranks = 2;                    // that take part
  std::vector<LinkSample> samples;  // by ascending size
  // For a collective, this is the number of wrong results on all ranks, by sample; else empty.
  std::vector<std::int64_t> wrong{};

  bool is_ring() const {
    return kind == LinkCurveKind::collective && algorithm == AllreduceAlgorithm::ring;
  }
};

// Holds everything that is measured for a platform.
struct LinkMeasurements {
  std::vector<Level> levels;  // innermost first, without their times
  std::vector<LinkCurve> curves;
  LocalCosts local;
  std::string device;              // as in LinkOptions
  std::int64_t memory_bytes = 0;   // memory of one rank
  std::int64_t process_bytes = 0;  // what a rank's process takes of it in an empty run
};

// Measures all links. A program with one rank measures only local costs. This call is collective
// over `world` and blocks. Rank 0 gets the complete result, and other ranks the curves in which
// they took part. @throws CommError; as the constructor of NcclCommunicator; as Device::allocate()
LinkMeasurements measure_links(const Communicator& world, const LinkOptions& options);

// Returns the platform that fits the measurements. It measures nothing. A level whose messages were
// not measured gets the links of default_platform().
Platform platform_of(const LinkMeasurements& measurements);

// Measures and fits, as the two functions above. Only rank 0 gets the complete result.
// @throws as measure_links()
Platform measure_platform(const Communicator& world, const LinkOptions& options);

// Fits the times of a curve, after those that replaced_samples() counts were replaced. For a ring,
// it fits the times of one round by the bytes of the round.
LinkFit fit_of(const LinkCurve& curve);

// Returns the number of samples whose time fit_of() replaces before it fits. These are of more than
// 1 MiB, and have LinkSample::has_two_times. The new time per byte is the median of the sample's
// own and of the two sizes next to it. The largest size has one neighbour, so it never becomes
// faster. From the second slow size on, no size takes less per byte than the second slowest slow
// size so far. A size from 1 MiB on is slow if it takes over 1.25 times as long per byte as a
// smaller one from 1 MiB on.
int replaced_samples(const LinkCurve& curve);

// Returns how far the predictor's times on `platform` are from the times of a curve.
FitError prediction_error(const Platform& platform, const LinkCurve& curve);

// Returns a warning if curves end before messages of `options.most_bytes` because the time budget
// was too short, else an empty text. platform_of() takes the last segment of a curve for longer
// messages.
std::string short_budget_text(const LinkMeasurements& measurements, const LinkOptions& options);

// Both functions return bytes per second, at LinkSample::seconds(). algorithm_bandwidth() divides
// the bytes of the sample by its time. bus_bandwidth() does so for messages. For a collective over
// p ranks, it counts the bytes that cross each link: (p-1)/p of the sample's bytes for each half.
double algorithm_bandwidth(const LinkSample& sample);
double bus_bandwidth(const LinkCurve& curve, const LinkSample& sample);

}  // namespace cnnplan
