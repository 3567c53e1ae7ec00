// The machine: memory, links and what every operation costs beyond its kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/kernel/kernel_rates.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Messages of at most `max_bytes` (and more than the segment before) take
// alpha_s + bytes * beta_s_per_byte; the last segment also covers everything longer.
struct Segment {
  std::int64_t max_bytes = 0;
  double alpha_s = 0.0;
  double beta_s_per_byte = 0.0;
  auto operator<=>(const Segment&) const = default;
};

// The segment that a message of `bytes` falls into. @pre segments is not empty
const Segment& segment_of(const std::vector<Segment>& segments, double bytes);
// Seconds for `bytes` by that segment. @pre segments is not empty
double segment_time_s(const std::vector<Segment>& segments, double bytes);

// A measured collective: time of an allreduce of `bytes` over exactly `ranks` ranks, or of one of
// its halves.
struct AllreduceFit {
  int ranks = 2;
  std::vector<Segment> segments;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::library;
  CollectiveKind kind = CollectiveKind::allreduce;
  auto operator<=>(const AllreduceFit&) const = default;
};

struct Level {
  std::string name = "node";
  int ranks_per_group = 1;        // ranks below one instance of this level
  std::vector<Segment> segments;  // one message, one direction
  double duplex_factor = 1.0;     // time of sending and receiving at once / of sending alone
  int shared_by = 1;              // ranks that share one link, see port_of
  // What each further message of one transfer adds to its bytes: latencies pass side by side, the
  // work of a rank for its messages does not (the gap of LogGP, Alexandrov et al. 1995).
  double gap_s = 0.0;
  // One step of our ring allreduce: receive a block of n/p bytes, add or take it, and forward it.
  // Empty: not measured, the step is a message and the addition.
  std::vector<Segment> ring_segments{};
  // The same of its halves, each run alone. Empty: a step of a half is one of the allreduce.
  std::vector<Segment> reduce_scatter_segments{};
  std::vector<Segment> allgather_segments{};
  auto operator<=>(const Level&) const = default;
};

// All of them, by name.
inline constexpr std::array<std::pair<const char*, std::vector<Segment> Level::*>, 3>
    ring_step_fields{{{"ring", &Level::ring_segments},
                      {"reduce_scatter", &Level::reduce_scatter_segments},
                      {"allgather", &Level::allgather_segments}}};
// One step of our ring where it runs such a collective; empty where none was measured.
const std::vector<Segment>& ring_segments(const Level& level, CollectiveKind kind);

struct Platform {
  std::string name = "generic";
  std::string device = "generic";       // fingerprint of the compute device
  std::int64_t memory_bytes = 0;        // of one rank
  std::vector<Level> levels;            // innermost first; the last one holds all ranks
  std::vector<AllreduceFit> allreduce;  // each kind, algorithm and number of ranks at most once
  double gamma_s_per_byte = 0.0;        // adding received bytes to local ones
  double copy_s_per_byte = 0.0;         // packing, unpacking, local copies
  double overlap_efficiency = 0.0;      // 0: communication stops the kernels; 1: costs them nothing
  double launch_s = 0.0;  // of an empty operation; for information, kernel times hold it
  std::optional<KernelRates> kernels{};  // of what no profile has; empty: as on a CPU core
  bool measured = false;
  std::vector<InputFile> inputs{};
  auto operator<=>(const Platform&) const = default;
};

// Conservative figures of a shared-memory node, marked as not measured.
Platform default_platform(int ranks);
// Level that connects two ranks, and its index in platform.levels. @pre a != b
const Level& level_between(const Platform& platform, int rank_a, int rank_b);
std::size_t level_index_between(const Platform& platform, int rank_a, int rank_b);
// The link that a rank has to a level, numbered over all ranks. `shared_by` ranks in a row have one
// in common, where they are in one group of the level inside it.
int port_of(const Platform& platform, std::size_t level, int rank);
// Ranks so far apart, or a multiple of it, are in the same places of their groups and ports;
// counted on behind the last of `ranks` with the first. 0: none are.
std::int64_t distance_of_like_places(const Platform& platform, int ranks);

// JSON (schema cnnplan.platform/1). @throws InputError, IoError
Platform parse_platform(std::string_view json, const std::string& file);
Platform read_platform(const std::string& file);
std::string to_json(const Platform& platform);

}  // namespace cnnplan
