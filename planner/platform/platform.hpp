// Describes the machine: its memory, its links, and the figures of its collectives and copies.
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

// Says that messages longer than in the previous segment, and of at most `max_bytes`, take alpha_s
// + bytes * beta_s_per_byte. The last segment also covers all longer messages.
struct Segment {
  std::int64_t max_bytes = 0;
  double alpha_s = 0.0;
  double beta_s_per_byte = 0.0;
  auto operator<=>(const Segment&) const = default;
};

// Returns the segment that covers a message of `bytes`. @pre `segments` is not empty
const Segment& segment_of(const std::vector<Segment>& segments, double bytes);
// Returns the time of a message of `bytes` by its segment. @pre `segments` is not empty
double segment_time_s(const std::vector<Segment>& segments, double bytes);

// Holds the measured times of an allreduce, or of one of its halves, over exactly `ranks` ranks. It
// counts only for groups whose ranks lie on nodes as the measured ranks did. node_level() says what
// a node is.
struct AllreduceFit {
  int ranks = 2;
  std::vector<Segment> segments;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::library;
  CollectiveKind kind = CollectiveKind::allreduce;
  int ranks_per_node = 0;  // of the group; 0: as many as a node holds
  int groups_at_once = 1;  // groups that share a node and ran the collective at the same time
  auto operator<=>(const AllreduceFit&) const = default;
};

// Describes the links of one level of the machine, such as those inside a node or between nodes.
struct Level {
  std::string name = "node";
  int ranks_per_group = 1;        // ranks that the level connects, such as those of one node
  std::vector<Segment> segments;  // one message, one direction
  // Time of sending and receiving at once, over the time of sending. It counts only for levels
  // without exchange_segments, see exchange_times().
  double duplex_factor = 1.0;
  int shared_by = 1;  // ranks that share one link, see port_of
  // Each message of a transfer, except the first, adds this time. Latencies of messages overlap,
  // but the work of a rank for them does not (the gap of LogGP, Alexandrov et al. 1995).
  double gap_s = 0.0;
  // These are times of sending and receiving at once, by the bytes of each direction. An empty list
  // means that exchanges were not measured.
  std::vector<Segment> exchange_segments{};
  // These are times of one round of the ring allreduce, by the bytes of its block. A rank receives
  // a block of n/p bytes, adds it or takes it over, and forwards it. An empty list means that the
  // round was not measured. It is then priced as a message and an addition.
  std::vector<Segment> ring_segments{};
  // These are rounds of a half that runs alone. If a list is empty, ring_segments is used instead.
  std::vector<Segment> reduce_scatter_segments{};
  std::vector<Segment> allgather_segments{};
  auto operator<=>(const Level&) const = default;
};

// Lists the segments that a level may lack, with the names that files give them.
inline constexpr std::array<std::pair<const char*, std::vector<Segment> Level::*>, 4>
    optional_segment_fields{{{"exchange", &Level::exchange_segments},
                             {"ring", &Level::ring_segments},
                             {"reduce_scatter", &Level::reduce_scatter_segments},
                             {"allgather", &Level::allgather_segments}}};
// Returns the measured rounds of a ring that runs this collective. The list is empty if no round
// was measured.
const std::vector<Segment>& ring_segments(const Level& level, CollectiveKind kind);

// Holds a platform file.
struct Platform {
  std::string name = "generic";
  std::string device = "generic";  // fingerprint of the compute device
  std::int64_t memory_bytes = 0;   // of one rank; 0: not known
  // A rank's process takes this part of memory_bytes before it has parameters, whatever the network
  // is. It was measured in an empty run. 0: not known.
  std::int64_t process_bytes = 0;
  std::vector<Level> levels;  // innermost first; the last one holds all ranks
  // Holds measured times of collectives. If several have equal kind, algorithm, number and places
  // of ranks, the first one is used.
  std::vector<AllreduceFit> allreduce;
  double gamma_s_per_byte = 0.0;    // adding received bytes to local ones
  double copy_s_per_byte = 0.0;     // packing, unpacking, local copies
  double overlap_efficiency = 0.0;  // 0: kernels stop for communication; 1: it does not slow them
  double launch_s = 0.0;  // of an empty operation; only information, since kernel times include it
  std::optional<KernelRates> kernels{};  // for kernels that no profile has; absent: CPU core rates
  bool measured = false;            // false for figures that are assumed or taken from data sheets
  std::vector<InputFile> inputs{};  // files that the platform was made from
  auto operator<=>(const Platform&) const = default;
};

// Returns a platform of one node with this number of ranks and shared memory. Its figures are
// conservative, and marked as not measured.
Platform default_platform(int ranks);
// Returns the level that connects two ranks, or its index in platform.levels.
// @pre rank_a != rank_b, the platform has a level
const Level& level_between(const Platform& platform, int rank_a, int rank_b);
std::size_t level_index_between(const Platform& platform, int rank_a, int rank_b);
// Returns the number of the port by which a rank sends and receives on a level. `shared_by`
// consecutive ranks share a port. No port is shared by ranks of different groups of the next inner
// level, or of the level itself if it is the innermost.
int port_of(const Platform& platform, std::size_t level, int rank);
// Returns a distance of ranks after which the machine repeats itself. Rank r + distance, modulo
// `ranks`, has the position in its groups and in its port that rank r has in its own. Returns 0 if
// there is no such distance.
std::int64_t distance_of_like_places(const Platform& platform, int ranks);

// Returns the platform as if no collective had been measured, neither as a whole nor by its rounds.
Platform without_measured_collectives(Platform platform);

// Reads JSON of the schema cnnplan.platform/1. `file` names it in errors. @throws InputError
Platform parse_platform(std::string_view json, const std::string& file);
// Reads a file as parse_platform does. @throws InputError, IoError
Platform read_platform(const std::string& file);
// Returns the text of a platform file.
std::string to_json(const Platform& platform);

}  // namespace cnnplan
