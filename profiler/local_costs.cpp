// Local passes with the executor's own kernels, in the sizes of halos and of the ring's chunks.
#include "profiler/local_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "executor/backend/memory_block.hpp"
#include "executor/backend/box_copy.hpp"
#include "executor/comm/point_to_point.hpp"
#include "executor/backend/sum_kernels.hpp"
#include "executor/comm/transfer.hpp"

namespace cnnplan {
namespace {

// Received bytes are in cache, those they are added to come from memory.
constexpr std::int64_t own_elements = std::int64_t{4} << 20;

LinkSample time_add(const Communicator& world,
                    const RepetitionOptions& options,
                    std::int64_t elements) {
  const MemoryBlock memory(own_elements * static_cast<std::int64_t>(sizeof(float)));
  auto* own = reinterpret_cast<float*>(memory.data());
  const std::vector<float> received(static_cast<std::size_t>(elements));
  std::int64_t begin = 0;
  const auto pass = [&] {
    add(own + begin, received.data(), elements);
    begin = begin + 2 * elements > own_elements ? 0 : begin + elements;
  };
  const auto bytes = elements * static_cast<std::int64_t>(sizeof(float));
  return {.bytes = bytes, .time = time_repeatedly(world, options, pass)};
}

std::vector<LinkSample> time_adds(const Communicator& world, const RepetitionOptions& options) {
  std::vector<LinkSample> samples;
  for (std::int64_t elements = 4 << 10; elements <= 256 << 10; elements *= 4) {
    samples.push_back(time_add(world, options, elements));
  }
  return samples;
}

// One column of `channels` of an image, packed.
LinkSample time_column(const Communicator& world,
                       const RepetitionOptions& options,
                       std::int64_t channels) {
  constexpr std::int64_t rows = 128;
  constexpr std::int64_t columns = 66;
  const Box image = whole(Shape{{1, channels, 1, rows, columns}});
  std::vector<float> buffer(static_cast<std::size_t>(volume(image)));
  Box column = image;
  column[Dim::w] = {1, 2};
  std::vector<float> packed(static_cast<std::size_t>(volume(column)));
  const auto pass = [&] {
    const TensorView to = view_of(packed.data(), column, column, sizeof(float));
    const TensorView from = view_of(buffer.data(), image, column, sizeof(float));
    copy_box(make_box_copy(to, from, ElementType::fp32));
    const std::int64_t next = column[Dim::w].end % columns;
    column[Dim::w] = {next, next + 1};
  };
  const auto bytes = volume(column) * static_cast<std::int64_t>(sizeof(float));
  return {.bytes = bytes, .time = time_repeatedly(world, options, pass)};
}

std::vector<LinkSample> time_copies(const Communicator& world, const RepetitionOptions& options) {
  std::vector<LinkSample> samples;
  for (std::int64_t channels : {16, 32, 64, 128, 256, 512}) {
    samples.push_back(time_column(world, options, channels));
  }
  return samples;
}

double time_launch(const Communicator& world, const RepetitionOptions& options) {
  Transfer nothing(world, {});
  double stamps_s = 0.0;
  const auto operation = [&] {
    const double begin_s = now_s();
    nothing.run();
    stamps_s += now_s() - begin_s;
  };
  return time_repeatedly(world, options, operation).median_s;
}

// Arithmetic in registers: it needs the core and nothing else.
void compute(std::int64_t steps) {
  volatile double start = 0.5;
  double value = start;
  for (std::int64_t step = 0; step < steps; ++step) value = value * 0.999 + 0.001;
  volatile double sink = value;
  static_cast<void>(sink);
}

OverlapTimes time_overlap(const Communicator& pair, const RepetitionOptions& options) {
  constexpr std::size_t message_bytes = std::size_t{16} << 20;
  constexpr std::int64_t trial_steps = 1'000'000;
  const std::vector<std::byte> sent(message_bytes);
  std::vector<std::byte> received(message_bytes);
  const int peer = 1 - pair.rank();
  const auto exchange = [&] { Exchange(pair, sent, received, peer).wait(); };
  const double exchange_s = time_repeatedly(pair, options, exchange).median_s;
  const double trial_s = time_repeatedly(pair, options, [] { compute(trial_steps); }).median_s;
  const auto steps = static_cast<std::int64_t>(trial_steps * exchange_s / trial_s) + 1;
  const auto both = [&] {
    Exchange under_way(pair, sent, received, peer);
    compute(steps);
    under_way.wait();
  };
  const auto times =
      time_interleaved(pair, options, {{[&] { compute(steps); }, {}}, {exchange, {}}, {both, {}}});
  return {times[0].median_s, times[1].median_s, times[2].median_s};
}

}  // namespace

double overlap_efficiency(const OverlapTimes& times) {
  const double shorter_s = std::min(times.compute_s, times.exchange_s);
  if (shorter_s <= 0) return 0.0;
  const double hidden_s = times.compute_s + times.exchange_s - times.both_s;
  return std::clamp(hidden_s / shorter_s, 0.0, 1.0);
}

LocalCosts measure_local_costs(const Communicator& world, const RepetitionOptions& options) {
  LocalCosts costs{.adds = time_adds(world, options),
                   .copies = time_copies(world, options),
                   .overlap = {},
                   .launch_s = time_launch(world, options)};
  if (world.size() > 1 && world.rank() < 2) {
    costs.overlap = time_overlap(Communicator::group(world, {0, 1}), options);
  }
  world.barrier();
  return costs;
}

}  // namespace cnnplan
