// Times every size for each pair and group of ranks that a platform describes.
#include "profiler/links_measure.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "executor/comm/device_collective.hpp"
#include "executor/comm/node_memory.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/point_to_point.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/tensor/enumerators.hpp"
#include "planner/tensor/shard.hpp"
#include "profiler/curve_timer.hpp"
#include "profiler/link_memory.hpp"
#include "profiler/sum_check.hpp"

namespace cnnplan {
namespace {

// Returns 2, 4, 8, ... and the number of all ranks.
std::vector<int> group_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 2; size < ranks; size *= 2) sizes.push_back(size);
  if (ranks > 1) sizes.push_back(ranks);
  return sizes;
}

std::vector<Level> levels_of(const Communicator& world) {
  const Nodes nodes = find_nodes(world);
  const int ranks = world.size();
  if (nodes.ranks_here == ranks) {
    return {{.name = level_inside_node, .ranks_per_group = ranks, .segments = {}}};
  }
  if (!nodes.regular || nodes.ranks_here == 1) {
    return {{.name = level_of_nodes, .ranks_per_group = ranks, .segments = {}}};
  }
  return {{.name = level_inside_node, .ranks_per_group = nodes.ranks_here, .segments = {}},
          {.name = level_of_nodes,
           .ranks_per_group = ranks,
           .segments = {},
           .shared_by = nodes.ranks_here}};
}

// A real message was just computed, so its bytes lie in the caches of its own core.
template <typename T>
std::function<void()> rewrite(std::span<T> values) {
  return [values] { std::fill(values.begin(), values.end(), T{}); };
}

// Runs messages between two ranks. `out` and `in` hold at least as many bytes as are moved.
struct MessagePair {
  const Communicator& pair;
  const LinkMemory out;
  const LinkMemory in;

  int peer() const { return 1 - pair.rank(); }

  void send_out(std::int64_t bytes) const {
    out.fetch(bytes);
    send(pair, out.bytes(bytes), peer());
  }

  void ping_pong(std::int64_t bytes) const {
    if (pair.rank() == 0) send_out(bytes);
    receive(pair, in.bytes(bytes), peer());
    in.deliver(bytes);
    if (pair.rank() == 1) send_out(bytes);
  }

  void exchange(std::int64_t bytes) const {
    out.fetch(bytes);
    PairExchange(pair, out.bytes(bytes), in.bytes(bytes), peer()).wait();
    in.deliver(bytes);
  }

  // Exchanges the bytes in equal messages, all under way at once.
  void exchange_in_parts(std::int64_t bytes) const {
    out.fetch(bytes);
    const std::size_t each = bytes / messages_at_once;
    std::vector<PairExchange> exchanges;
    exchanges.reserve(messages_at_once);
    for (std::size_t begin = 0; exchanges.size() < messages_at_once; begin += each) {
      const auto sent = out.bytes(bytes).subspan(begin, each);
      exchanges.emplace_back(pair, sent, in.bytes(bytes).subspan(begin, each), peer());
    }
    for (PairExchange& one : exchanges) one.wait();
    in.deliver(bytes);
  }
};

std::function<void()> message_run(const MessagePair& messages,
                                  LinkCurveKind kind,
                                  std::int64_t bytes) {
  if (kind == LinkCurveKind::message) return [&messages, bytes] { messages.ping_pong(bytes); };
  if (kind == LinkCurveKind::exchange) return [&messages, bytes] { messages.exchange(bytes); };
  return [&messages, bytes] { messages.exchange_in_parts(bytes); };
}

constexpr std::array message_kinds{
    LinkCurveKind::message, LinkCurveKind::exchange, LinkCurveKind::exchanges};

// Times ping-pong, and simultaneous exchange in one message and in several.
std::vector<LinkCurve> time_messages(const Communicator& pair,
                                     const Level& level,
                                     const LinkOptions& options,
                                     CurveTimer& timer) {
  const MessagePair messages{.pair = pair,
                             .out = {*options.device_memory, options.most_bytes},
                             .in = {*options.device_memory, options.most_bytes}};
  std::vector<LinkCurve> curves;
  for (LinkCurveKind kind : message_kinds) {
    curves.push_back({.kind = kind, .level = level.name, .ranks = 2, .samples = {}});
  }
  timer.time(pair, curves, [&](const LinkCurve& curve, std::int64_t bytes) -> TimedBody {
    return {.run = message_run(messages, curve.kind, bytes),
            .prepare = rewrite(messages.out.bytes(bytes))};
  });
  for (LinkSample& there_and_back : curves.front().samples) {
    there_and_back.time = scaled(there_and_back.time, 0.5);
  }
  return curves;
}

// Returns the innermost level whose groups have at least `ranks` ranks.
const Level& level_of_group(int ranks, const std::vector<Level>& levels) {
  return *std::ranges::find_if(
      levels, [ranks](const Level& level) { return ranks <= level.ranks_per_group; });
}

// Returns all algorithms, but `hierarchical` only if the group consists of several whole nodes.
std::vector<AllreduceAlgorithm> algorithms_for(int ranks, const std::vector<Level>& levels) {
  std::vector<AllreduceAlgorithm> algorithms{AllreduceAlgorithm::library,
                                             AllreduceAlgorithm::ring,
                                             AllreduceAlgorithm::recursive_doubling,
                                             AllreduceAlgorithm::rabenseifner};
  const int inside = ranks_of_a_node(levels);
  if (inside > 1 && ranks > inside && ranks % inside == 0) {
    algorithms.push_back(AllreduceAlgorithm::hierarchical);
  }
  return algorithms;
}

// Makes curves for the allreduces, and for the halves of algorithms that have halves.
std::vector<LinkCurve> collectives_for(int ranks, const std::vector<Level>& levels) {
  std::vector<LinkCurve> curves;
  for (CollectiveKind kind : Enumerators<CollectiveKind>::all) {
    for (AllreduceAlgorithm algorithm : algorithms_for(ranks, levels)) {
      if (kind != CollectiveKind::allreduce && !has_halves(algorithm)) continue;
      curves.push_back({.kind = LinkCurveKind::collective,
                        .collective = kind,
                        .algorithm = algorithm,
                        .level = level_of_group(ranks, levels).name,
                        .ranks = ranks,
                        .samples = {}});
    }
  }
  return curves;
}

constexpr std::int64_t float_bytes = sizeof(float);

// Halves use equal shards of whole cache lines, as the shards of trainings do.
std::int64_t summed_elements(CollectiveKind kind, std::int64_t bytes, const Communicator& group) {
  const std::int64_t elements = bytes / float_bytes;
  if (kind == CollectiveKind::allreduce) return elements;
  return group.size() * shard_elements(elements, group.size());
}

std::vector<LinkCurve> time_collectives(const Communicator& group,
                                        const std::vector<Level>& levels,
                                        const LinkOptions& options,
                                        CurveTimer& timer) {
  Device& device = *options.device_memory;
  const MemoryBlock values = device.allocate(
      summed_elements(CollectiveKind::reduce_scatter, options.most_bytes, group) * float_bytes);
  std::optional<NcclCommunicator> nccl;
  if (options.nccl) nccl.emplace(group);
  std::vector<LinkCurve> curves = collectives_for(group.size(), levels);
  timer.time(group, curves, [&](LinkCurve& curve, std::int64_t bytes) -> TimedBody {
    const std::int64_t elements = summed_elements(curve.collective, bytes, group);
    const auto clear = [&device, &values, elements] {
      device.clear(values.data(), elements * float_bytes);
      device.synchronize();
    };
    const CollectiveSpec spec{.kind = curve.collective,
                              .device = &device,
                              .data = values.data(),
                              .elements = elements,
                              .algorithm = curve.algorithm,
                              .ranks_per_node = std::min(group.size(), ranks_of_a_node(levels)),
                              .nccl = nccl ? &*nccl : nullptr};
    const auto run = [&device, collective = std::make_shared<DeviceCollective>(group, spec)] {
      collective->run();
      device.synchronize();
    };
    curve.wrong.push_back(count_wrong(group, spec, run));
    return {.run = run, .prepare = clear};
  });
  return curves;
}

void append(std::vector<LinkCurve>& all, std::vector<LinkCurve> some) {
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

// Returns the first rank outside the group that the next inner level has around rank 0.
int peer_on_level(const std::vector<Level>& levels, std::size_t level) {
  return level == 0 ? 1 : levels[level - 1].ranks_per_group;
}

void measure_messages(const Communicator& world,
                      const LinkOptions& options,
                      CurveTimer& timer,
                      LinkMeasurements& measurements) {
  for (std::size_t i = 0; i < measurements.levels.size(); ++i) {
    const int peer = peer_on_level(measurements.levels, i);
    if (peer < world.size() && (world.rank() == 0 || world.rank() == peer)) {
      const Communicator pair = Communicator::group(world, {0, peer});
      append(measurements.curves, time_messages(pair, measurements.levels[i], options, timer));
    }
    world.barrier();
  }
}

void measure_collectives(const Communicator& world,
                         const LinkOptions& options,
                         CurveTimer& timer,
                         LinkMeasurements& measurements) {
  for (int size : group_sizes(world.size())) {
    if (world.rank() < size) {
      std::vector<int> ranks(size);
      std::iota(ranks.begin(), ranks.end(), 0);
      const Communicator group = Communicator::group(world, ranks);
      append(measurements.curves, time_collectives(group, measurements.levels, options, timer));
    }
    world.barrier();
  }
}

// Counts the bodies of all sweeps in which rank 0 takes part.
int count_bodies(const Communicator& world, const std::vector<Level>& levels) {
  if (world.size() == 1) return 0;
  auto bodies = static_cast<int>(message_kinds.size() * levels.size());
  for (int size : group_sizes(world.size())) {
    bodies += static_cast<int>(collectives_for(size, levels).size());
  }
  return bodies;
}

}  // namespace

LinkMeasurements measure_links(const Communicator& world, const LinkOptions& options) {
  LinkMeasurements measurements{.levels = levels_of(world),
                                .curves = {},
                                .local = {},
                                .device = options.device,
                                .memory_bytes = memory_of_rank(world, *options.device_memory),
                                .process_bytes = options.process_bytes};
  const auto pairs = world.size() > 1 ? measurements.levels.size() : 0;
  const auto sweeps = pairs + group_sizes(world.size()).size();
  const int total = 1 + static_cast<int>(sweeps * sizes_of(options).size());
  ProgressCounter progress(options, world.rank() == 0, total);
  const int bodies = count_bodies(world, measurements.levels);
  CurveTimer timer(options, SweepBudget(options.time_budget_s, bodies), progress);
  progress.begin("adds, copies, overlap");
  measurements.local =
      measure_local_costs(world,
                          *options.device_memory,
                          {.budget_s = options.budget_s},
                          {.most_bytes = options.most_bytes, .most_s = options.time_budget_s / 10});
  progress.end();
  if (pairs > 0) measure_messages(world, options, timer, measurements);
  measure_collectives(world, options, timer, measurements);
  progress.begin("done");
  return measurements;
}

Platform measure_platform(const Communicator& world, const LinkOptions& options) {
  return platform_of(measure_links(world, options));
}

}  // namespace cnnplan
