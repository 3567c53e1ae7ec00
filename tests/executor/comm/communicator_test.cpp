// Tests collectives on any number of ranks: sums, their bits, groups, gather and broadcast.
#include "executor/comm/communicator.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <stdexcept>

#include <doctest/doctest.h>

#include "executor/comm/exchange_allreduce.hpp"
#include "executor/comm/message_link.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/point_to_point.hpp"
#include "executor/comm/ring.hpp"
#include "executor/comm/shared_link.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

template <typename T>
std::vector<T> random_values(std::size_t count, int rank) {
  std::mt19937 random(static_cast<unsigned>(rank + 1));
  std::uniform_real_distribution<T> uniform(T(-1), T(1));
  std::vector<T> values(count);
  for (T& value : values) value = uniform(random);
  return values;
}

// Returns the largest difference from the sum in double, which every rank computes from the seeds.
template <typename T>
double largest_error(const std::vector<T>& values, int ranks) {
  std::vector<double> sum(values.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<T> part = random_values<T>(values.size(), rank);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  double error = 0.0;
  for (std::size_t i = 0; i < sum.size(); ++i)
    error = std::max(error, std::abs(sum[i] - values[i]));
  return error;
}

template <typename T>
bool same_bits_everywhere(const Communicator& world, const std::vector<T>& values) {
  const auto all = world.gather(std::as_bytes(std::span(values)), 0);
  bool same = true;
  for (const auto& part : all) same = same && part == all.front();
  return same;
}

constexpr std::array<std::size_t, 13> sizes{0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 1000, 4097, 65537};

template <typename T, typename Sum>
void check_sum_of(const Communicator& world, std::size_t size, double tolerance, Sum sum) {
  CAPTURE(size);
  std::vector<T> values = random_values<T>(size, world.rank());
  sum(std::span<T>(values));
  CHECK(largest_error(values, world.size()) <= tolerance * world.size());
  CHECK(same_bits_everywhere(world, values));
  std::vector<T> again = random_values<T>(size, world.rank());
  sum(std::span<T>(again));
  CHECK(std::ranges::equal(std::as_bytes(std::span(values)), std::as_bytes(std::span(again))));
}

template <typename T, typename Sum>
void check_sum(const Communicator& world, double tolerance, Sum sum) {
  for (std::size_t size : sizes) check_sum_of<T>(world, size, tolerance, sum);
}

constexpr double float_tolerance = 1e-6;
constexpr double double_tolerance = 1e-14;

}  // namespace

TEST_CASE("Communicator: ring allreduce is the sum, the same bits on every rank, repeatable") {
  const Communicator world = Communicator::world();
  const auto ring = [&](auto values) { world.allreduce(values, AllreduceAlgorithm::ring); };
  check_sum<float>(world, float_tolerance, ring);
  check_sum_of<float>(world, 1'000'000, float_tolerance, ring);
  check_sum<double>(world, double_tolerance, ring);
}

TEST_CASE("Communicator: halves are the sum, the same bits on every rank, repeatable") {
  const Communicator world = Communicator::world();
  for (AllreduceAlgorithm algorithm : {AllreduceAlgorithm::ring, AllreduceAlgorithm::library}) {
    CAPTURE(to_text(algorithm));
    const auto halves = [&](auto values) {
      world.reduce_scatter(values, algorithm);
      const auto count = static_cast<std::int64_t>(values.size());
      const Range own = shard(count, world.size(), world.rank());
      std::fill(values.begin(), values.begin() + own.begin, -7);
      std::fill(values.begin() + own.end, values.end(), -7);
      world.allgather(values, algorithm);
    };
    check_sum<float>(world, float_tolerance, halves);
    check_sum_of<float>(world, 1'000'000, float_tolerance, halves);
    check_sum<double>(world, double_tolerance, halves);
  }
  std::vector<float> values(3);
  CHECK_THROWS_AS(world.allgather(std::span(values), AllreduceAlgorithm::rabenseifner),
                  std::logic_error);
}

TEST_CASE("Communicator: values of 16 bits are gathered as they are") {
  const Communicator world = Communicator::world();
  for (AllreduceAlgorithm algorithm : {AllreduceAlgorithm::ring, AllreduceAlgorithm::library}) {
    for (std::size_t size : sizes) {
      std::vector<std::uint16_t> expected(size);
      std::iota(expected.begin(), expected.end(), std::uint16_t{0x7f80});
      const Range own = shard(static_cast<std::int64_t>(size), world.size(), world.rank());
      std::vector<std::uint16_t> values(size, 0);
      std::copy(
          expected.begin() + own.begin, expected.begin() + own.end, values.begin() + own.begin);
      world.allgather(std::span(values), algorithm);
      CHECK(values == expected);
    }
  }
}

TEST_CASE("Communicator: sums in rounds are the sum, the same bits on every rank, repeatable") {
  const Communicator world = Communicator::world();
  for (AllreduceAlgorithm algorithm : {AllreduceAlgorithm::recursive_doubling,
                                       AllreduceAlgorithm::rabenseifner,
                                       AllreduceAlgorithm::hierarchical}) {
    CAPTURE(to_text(algorithm));
    const auto rounds = [&](auto values) { world.allreduce(values, algorithm); };
    check_sum<float>(world, float_tolerance, rounds);
    check_sum_of<float>(world, 1'000'000, float_tolerance, rounds);
    check_sum<double>(world, double_tolerance, rounds);
  }
}

TEST_CASE("ExchangeAllreduce: nodes of several ranks") {
  const Communicator world = Communicator::world();
  for (int inside = 1; inside <= world.size(); ++inside) {
    if (world.size() % inside != 0) continue;
    CAPTURE(inside);
    const auto over_nodes = [&](auto values) {
      ExchangeAllreduce(world,
                        {.algorithm = AllreduceAlgorithm::hierarchical,
                         .elements = static_cast<std::int64_t>(values.size()),
                         .ranks = world.size(),
                         .ranks_per_node = inside})
          .sum(values);
    };
    check_sum<float>(world, float_tolerance, over_nodes);
    check_sum_of<double>(world, 300'001, double_tolerance, over_nodes);
  }
}

TEST_CASE("Communicator: library allreduce is the sum") {
  const Communicator world = Communicator::world();
  const auto library = [&](auto values) { world.allreduce(values, AllreduceAlgorithm::library); };
  check_sum<float>(world, float_tolerance, library);
  check_sum<double>(world, double_tolerance, library);
}

TEST_CASE("RingLink: messages give the same results as shared memory") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const auto messages = make_message_link(world);
  const auto over_messages = [&](auto values) {
    ring_collective(CollectiveKind::allreduce, values, *messages, world.rank(), world.size());
  };
  check_sum<float>(world, float_tolerance, over_messages);
  check_sum_of<float>(world, 1'000'000, float_tolerance, over_messages);
  check_sum<double>(world, double_tolerance, over_messages);
  const auto halves = [&](auto values) {
    ring_collective(CollectiveKind::reduce_scatter, values, *messages, world.rank(), world.size());
    ring_allgather(values, *messages, world.rank(), world.size());
  };
  check_sum<float>(world, float_tolerance, halves);
}

TEST_CASE("RingLink: ranks of one node share memory") {
  const Communicator world = Communicator::world();
  const bool one_node = find_nodes(world).ranks_here == world.size();
  CHECK((make_shared_link(world) != nullptr) == one_node);
}

TEST_CASE("Communicator: halves of the ranks sum on their own") {
  const Communicator world = Communicator::world();
  std::vector<int> half;
  for (int rank = world.rank() % 2; rank < world.size(); rank += 2) half.push_back(rank);
  const Communicator group = Communicator::group(world, half);
  CHECK(group.size() == static_cast<int>(half.size()));
  CHECK(half[static_cast<std::size_t>(group.rank())] == world.rank());
  std::vector<double> values(10'001, world.rank());
  group.allreduce(values, AllreduceAlgorithm::ring);
  const double expected = std::accumulate(half.begin(), half.end(), 0.0);
  CHECK(values.front() == expected);
  CHECK(values.back() == expected);
}

TEST_CASE("Communicator: a group is an ascending list with this rank") {
  const Communicator world = Communicator::world();
  CHECK_THROWS_AS(Communicator::group(world, {}), std::logic_error);
  CHECK_THROWS_AS(Communicator::group(world, {world.size()}), std::logic_error);
  CHECK_THROWS_AS(Communicator::group(world, {world.rank(), world.rank()}), std::logic_error);
  CHECK_THROWS_AS(Communicator::group(world, {-1, world.rank()}), std::logic_error);
}

TEST_CASE("Communicator: gather keeps rank order and lengths, broadcast reaches everyone") {
  const Communicator world = Communicator::world();
  const std::string own(static_cast<std::size_t>(world.rank()),
                        static_cast<char>('a' + world.rank()));
  const int root = world.size() - 1;
  const auto parts = world.gather(own, root);
  CHECK(parts.size() == static_cast<std::size_t>(world.rank() == root ? world.size() : 0));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    CHECK(parts[rank] == std::string(rank, static_cast<char>('a' + rank)));
  }
  const std::vector<double> mine(static_cast<std::size_t>(world.rank()), world.rank());
  std::vector<double> everyone;
  for (int rank = 0; rank < world.size(); ++rank) {
    everyone.insert(everyone.end(), static_cast<std::size_t>(rank), rank);
  }
  CHECK(world.all_gather(mine) == everyone);
  CHECK(world.broadcast(world.rank() == root ? "text of root" : "", root) == "text of root");
  CHECK(world.broadcast(std::int64_t{world.rank()} << 40, root) == std::int64_t{root} << 40);
  CHECK(world.maximum(-world.rank()) == 0.0);
  CHECK(world.maximum(world.rank()) == root);
}

TEST_CASE("Communicator: errors of MPI are CommError with the call's name") {
  const Communicator world = Communicator::world();
  std::byte byte{};
  std::string message;
  try {
    send(world, std::span(&byte, 1), world.size());
  } catch (const CommError& error) {
    message = error.what();
  }
  CHECK(message.find("MPI_Send: ") == 0);
  CHECK(message.find("rank") != std::string::npos);
}

TEST_CASE("PairExchange: neighbours swap large messages without deadlock") {
  const Communicator world = Communicator::world();
  const int peer = world.rank() ^ 1;
  if (peer >= world.size()) return;
  std::vector<std::byte> sent(std::size_t{4} << 20, static_cast<std::byte>(world.rank()));
  std::vector<std::byte> received(sent.size());
  PairExchange(world, sent, received, peer).wait();
  CHECK(received.front() == static_cast<std::byte>(peer));
  CHECK(received.back() == static_cast<std::byte>(peer));
}

TEST_CASE("Communicator: ranks of one node do not wait for each other before a collective") {
  constexpr std::int64_t large = std::int64_t{1} << 30;
  const Communicator world = Communicator::world();
  begin_together(world, large);  // finds out where the ranks are, which all ranks do
  if (world.rank() == 0) begin_together(world, large);
  const Communicator other = Communicator::world();
  if (other.rank() == 0)
    begin_together(other, 1024);  // few bytes: not even the nodes are looked for
  CHECK(world.maximum(world.rank()) == world.size() - 1);
}

}  // namespace cnnplan
