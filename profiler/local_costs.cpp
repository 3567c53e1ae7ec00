// Times local passes with the executor's own kernels, in the sizes of halos and of the ring's
// chunks.
#include "profiler/local_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/memory_block.hpp"
#include "executor/comm/point_to_point.hpp"
#include "executor/comm/transfer.hpp"
#include "profiler/link_memory.hpp"

namespace cnnplan {
namespace {

// Received bytes are in cache, and the values to which they are added come from memory.
constexpr std::int64_t own_elements = std::int64_t{4} << 20;

LinkSample time_add(const Communicator& world,
                    Device& device,
                    const RepetitionOptions& options,
                    std::int64_t elements) {
  constexpr std::int64_t size = sizeof(float);
  const MemoryBlock memory = device.allocate(own_elements * size);
  const MemoryBlock received = device.allocate(elements * size);
  const Box box = whole(Shape{{1, elements, 1, 1, 1}});
  std::int64_t begin = 0;
  const auto pass = [&] {
    device.add(make_box_copy(view_of(memory.data() + begin * size, box, box, size),
                             view_of(received.data(), box, box, size),
                             ElementType::fp32));
    device.synchronize();
    begin = begin + 2 * elements > own_elements ? 0 : begin + elements;
  };
  const std::int64_t bytes = elements * size;
  return {.bytes = bytes, .time = time_repeatedly(world, options, pass)};
}

std::vector<LinkSample> time_adds(const Communicator& world,
                                  Device& device,
                                  const RepetitionOptions& options) {
  std::vector<LinkSample> samples;
  for (std::int64_t elements = 4 << 10; elements <= 256 << 10; elements *= 4) {
    samples.push_back(time_add(world, device, options, elements));
  }
  return samples;
}

// Times packing one column of an image with `channels`.
LinkSample time_column(const Communicator& world,
                       Device& device,
                       const RepetitionOptions& options,
                       std::int64_t channels) {
  constexpr std::int64_t rows = 128;
  constexpr std::int64_t columns = 66;
  const Box image = whole(Shape{{1, channels, 1, rows, columns}});
  constexpr std::int64_t size = sizeof(float);
  const MemoryBlock buffer = device.allocate(volume(image) * size);
  Box column = image;
  column[Dim::w] = {1, 2};
  const MemoryBlock packed = device.allocate(volume(column) * size);
  const auto pass = [&] {
    const TensorView to = view_of(packed.data(), column, column, sizeof(float));
    const TensorView from = view_of(buffer.data(), image, column, sizeof(float));
    device.copy(make_box_copy(to, from, ElementType::fp32));
    device.synchronize();
    const std::int64_t next = column[Dim::w].end % columns;
    column[Dim::w] = {next, next + 1};
  };
  return {.bytes = volume(column) * size, .time = time_repeatedly(world, options, pass)};
}

std::vector<LinkSample> time_copies(const Communicator& world,
                                    Device& device,
                                    const RepetitionOptions& options) {
  std::vector<LinkSample> samples;
  for (std::int64_t channels : {16, 32, 64, 128, 256, 512}) {
    samples.push_back(time_column(world, device, options, channels));
  }
  return samples;
}

double time_launch(const Communicator& world, Device& device, const RepetitionOptions& options) {
  Transfer nothing(world, {.device = &device});
  double stamps_s = 0.0;
  const auto operation = [&] {
    const double begin_s = now_s();
    nothing.run();
    stamps_s += now_s() - begin_s;
  };
  return time_repeatedly(world, options, operation).median_s;
}

// Computes in registers, so that it needs only the core.
void compute(std::int64_t steps) {
  volatile double start = 0.5;
  double value = start;
  for (std::int64_t step = 0; step < steps; ++step) value = value * 0.999 + 0.001;
  volatile double sink = value;
  static_cast<void>(sink);
}

// Returns the seconds of the fastest of the fewest repetitions, since one may be disturbed.
double shortest_exchange_s(const Communicator& pair, std::int64_t bytes) {
  const std::vector<std::byte> sent(bytes);
  std::vector<std::byte> received(sent.size());
  const auto exchange = [&] { PairExchange(pair, sent, received, 1 - pair.rank()).wait(); };
  return time_repeatedly(pair, {.most_s = 0.0}, exchange).min_s;
}

OverlapTimes time_overlap(const Communicator& pair,
                          const RepetitionOptions& options,
                          std::int64_t message_bytes) {
  constexpr std::int64_t trial_steps = 1'000'000;
  const std::vector<std::byte> sent(message_bytes);
  std::vector<std::byte> received(sent.size());
  const int peer = 1 - pair.rank();
  const auto exchange = [&] { PairExchange(pair, sent, received, peer).wait(); };
  const double exchange_s = time_repeatedly(pair, options, exchange).median_s;
  const double trial_s = time_repeatedly(pair, options, [] { compute(trial_steps); }).median_s;
  const auto steps = static_cast<std::int64_t>(trial_steps * exchange_s / trial_s) + 1;
  const auto both = [&] {
    PairExchange under_way(pair, sent, received, peer);
    compute(steps);
    under_way.wait();
  };
  const auto times =
      time_interleaved(pair, options, {{[&] { compute(steps); }, {}}, {exchange, {}}, {both, {}}});
  return {times[0].median_s, times[1].median_s, times[2].median_s};
}

// Copies inside the device's memory, while messages use other memory of the device.
OverlapTimes time_device_overlap(const Communicator& pair,
                                 Device& device,
                                 const RepetitionOptions& options,
                                 std::int64_t message_bytes) {
  const std::int64_t copied_floats = message_bytes;
  constexpr int most_copies = 10'000;
  const LinkMemory sent(device, message_bytes);
  const LinkMemory received(device, message_bytes);
  const MemoryBlock from = device.allocate(copied_floats * bytes_of(ElementType::fp32));
  const MemoryBlock to = device.allocate(copied_floats * bytes_of(ElementType::fp32));
  const Box box = whole(Shape{{1, copied_floats, 1, 1, 1}});
  const BoxCopy copy = make_box_copy(
      view_of(to.data(), box, box, 4), view_of(from.data(), box, box, 4), ElementType::fp32);
  const auto start_copies = [&](int count) {
    device.select(Queue::compute);
    for (int i = 0; i < count; ++i) device.copy(copy);
  };
  const int peer = 1 - pair.rank();
  const auto exchange = [&] {
    device.select(Queue::halo);
    sent.fetch(message_bytes);
    PairExchange(pair, sent.bytes(message_bytes), received.bytes(message_bytes), peer).wait();
    received.deliver(message_bytes);
  };
  const auto copies_alone = [&](int count) {
    start_copies(count);
    device.synchronize();
  };
  const double exchange_s = time_repeatedly(pair, options, exchange).median_s;
  const double copy_s = time_repeatedly(pair, options, [&] { copies_alone(1); }).median_s;
  const int count = std::clamp(static_cast<int>(exchange_s / copy_s) + 1, 1, most_copies);
  const auto both = [&] {
    start_copies(count);
    exchange();
    device.synchronize();
  };
  const auto times = time_interleaved(
      pair, options, {{[&] { copies_alone(count); }, {}}, {exchange, {}}, {both, {}}});
  device.select(Queue::compute);
  return {times[0].median_s, times[1].median_s, times[2].median_s};
}

}  // namespace

std::int64_t overlapped_bytes(const OverlapLimits& limits,
                              const std::function<double(std::int64_t bytes)>& exchange_s) {
  constexpr std::int64_t least_bytes = std::int64_t{64} << 10;
  const std::int64_t most_bytes = std::min(std::int64_t{16} << 20, limits.most_bytes);
  // The overlap takes about as long as this many exchanges: first runs, and ten rounds of three.
  constexpr int exchanges = 60;
  std::int64_t bytes = std::min(least_bytes, most_bytes);
  while (bytes < most_bytes && 2.0 * exchange_s(bytes) * exchanges <= limits.most_s) {
    bytes = std::min(2 * bytes, most_bytes);
  }
  return bytes;
}

double overlap_efficiency(const OverlapTimes& times) {
  const double shorter_s = std::min(times.compute_s, times.exchange_s);
  if (shorter_s <= 0) return 0.0;
  const double hidden_s = times.compute_s + times.exchange_s - times.both_s;
  return std::clamp(hidden_s / shorter_s, 0.0, 1.0);
}

LocalCosts measure_local_costs(const Communicator& world,
                               Device& device,
                               const RepetitionOptions& options,
                               const OverlapLimits& limits) {
  LocalCosts costs{.adds = time_adds(world, device, options),
                   .copies = time_copies(world, device, options),
                   .overlap = {},
                   .launch_s = time_launch(world, device, options)};
  if (world.size() > 1 && world.rank() < 2) {
    const Communicator pair = Communicator::group(world, {0, 1});
    const std::int64_t bytes = overlapped_bytes(
        limits, [&](std::int64_t tried) { return shortest_exchange_s(pair, tried); });
    costs.overlap = device.is_host() ? time_overlap(pair, options, bytes)
                                     : time_device_overlap(pair, device, options, bytes);
  }
  world.barrier();
  return costs;
}

}  // namespace cnnplan
