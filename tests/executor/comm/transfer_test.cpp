// Tests transfers between random distributions against a copy of one element after the other.
#include "executor/comm/transfer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cpu_device.hpp"
#include "executor/backend/element.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

CpuDevice cpu;

using Index = std::array<std::int64_t, dim_count>;

template <typename Visit>
void for_each_index(const Box& box, Visit visit) {
  Index at{};
  auto& [n, c, d, h, w] = at;
  for (n = box[Dim::n].begin; n < box[Dim::n].end; ++n)
    for (d = box[Dim::d].begin; d < box[Dim::d].end; ++d)
      for (h = box[Dim::h].begin; h < box[Dim::h].end; ++h)
        for (w = box[Dim::w].begin; w < box[Dim::w].end; ++w)
          for (c = box[Dim::c].begin; c < box[Dim::c].end; ++c) visit(at);
}

// Holds a block in memory, channels-last.
template <typename T>
struct Block {
  explicit Block(const Box& block) : box(block), data(static_cast<std::size_t>(volume(block))) {}

  T& at(const Index& index) {
    std::int64_t offset = 0;
    for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w, Dim::c}) {
      const std::int64_t local = index[static_cast<std::size_t>(dim)] - box[dim].begin;
      offset = offset * box[dim].size() + local;
    }
    return data[static_cast<std::size_t>(offset)];
  }
  template <typename Value>
  void fill(const Box& part, Value value) {
    for_each_index(part, [&](const Index& index) { at(index) = value(index); });
  }

  Box box;
  std::vector<T> data;
};

// Returns the value that `rank` holds at an index before the transfer. All values differ.
template <typename T>
T held(int rank, const Index& index) {
  Computed<T> value = Computed<T>(rank + 1);
  for (std::int64_t i : index) value = value * Computed<T>(1.7) + Computed<T>(i) * Computed<T>(0.3);
  return T(value);
}

template <typename T>
T sum(T a, T b) {
  return T(static_cast<Computed<T>>(a) + static_cast<Computed<T>>(b));
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  const auto bits = [](T value) { return std::bit_cast<std::array<std::byte, sizeof(T)>>(value); };
  return std::ranges::equal(a, b, {}, bits, bits);
}

template <typename T>
constexpr ElementType element_of = std::is_same_v<T, BFloat16>  ? ElementType::bf16
                                   : std::is_same_v<T, Float16> ? ElementType::fp16
                                   : sizeof(T) == 4             ? ElementType::fp32
                                                                : ElementType::fp64;

// Returns a mesh of `ranks` with random axes.
Mesh random_mesh(int ranks, std::mt19937& random) {
  std::vector<Axis> axes{Axis::n, Axis::c, Axis::d, Axis::h, Axis::w, Axis::r};
  std::shuffle(axes.begin(), axes.end(), random);
  std::vector<MeshAxis> mesh;
  for (Axis axis : axes) {
    std::vector<int> divisors;
    for (int size = 1; size <= ranks; ++size) {
      if (ranks % size == 0) divisors.push_back(size);
    }
    const bool last = axis == axes.back();
    const int size = last ? ranks : divisors[random() % divisors.size()];
    mesh.push_back({axis, size});
    ranks /= size;
  }
  return Mesh(mesh);
}

Shape random_shape(std::mt19937& random) {
  Shape shape;
  for (std::int64_t& extent : shape.extents) extent = 1 + static_cast<std::int64_t>(random() % 7);
  return shape;
}

// Returns blocks that are larger by `halo` in the spatial dims, within the tensor.
RankBoxes with_halo(const RankBoxes& owned, const Shape& shape, std::int64_t halo) {
  Window window;
  for (WindowDim& dim : window.dims) {
    dim = {.kernel = 2 * halo + 1, .padding_begin = halo, .padding_end = halo};
  }
  return owned.under(window, shape);
}

struct Mode {
  bool accumulate = false;
  bool zero_first = false;
};

// Runs the transfer twice, and compares it with the list applied one element after the other.
template <typename T>
void check_transfer(const Communicator& world,
                    const RankBoxes& sources,
                    const RankBoxes& destinations,
                    Mode mode) {
  const int rank = world.rank();
  Block<T> source(sources.box(world.rank()));
  Block<T> destination(destinations.box(world.rank()));
  source.fill(source.box, [&](const Index& index) { return held<T>(rank, index); });
  const TransferList list = transfer_list(sources, destinations, rank);
  Transfer transfer(world,
                    {.device = &cpu,
                     .source = source.data.data(),
                     .source_box = source.box,
                     .destination = destination.data.data(),
                     .destination_box = destination.box,
                     .list = list,
                     .element = element_of<T>,
                     .accumulate = mode.accumulate,
                     .zero_first = mode.zero_first,
                     .tag = 5});
  for (int repetition = 0; repetition < 2; ++repetition) {
    Block<T> expected(destination.box);
    const auto before = [&](const Index& index) { return held<T>(rank + 100, index); };
    destination.fill(destination.box, before);
    if (!mode.zero_first) expected.fill(expected.box, before);
    for (const Piece& piece : list.receives) {
      for_each_index(piece.box, [&](const Index& index) {
        const T value = held<T>(piece.peer, index);
        expected.at(index) = mode.accumulate ? sum(expected.at(index), value) : value;
      });
    }
    transfer.run();
    CHECK(same(destination.data, expected.data));
  }
}

constexpr int rounds = 60;

}  // namespace

TEST_CASE("Transfer: shuffles between random distributions, replicas and empty blocks") {
  const Communicator world = Communicator::world();
  std::mt19937 random(11);
  for (int round = 0; round < rounds; ++round) {
    const Shape shape = random_shape(random);
    const Distribution from(shape, random_mesh(world.size(), random));
    const Distribution to(shape, random_mesh(world.size(), random));
    CAPTURE(to_text(from.mesh()));
    CAPTURE(to_text(to.mesh()));
    const Mode mode{.accumulate = round % 3 == 1, .zero_first = round % 2 == 1};
    check_transfer<float>(world, RankBoxes(from), RankBoxes(to), mode);
    check_transfer<double>(world, RankBoxes(from), RankBoxes(to), mode);
    check_transfer<BFloat16>(world, RankBoxes(from), RankBoxes(to), mode);
    check_transfer<Float16>(world, RankBoxes(from), RankBoxes(to), mode);
  }
}

TEST_CASE("Transfer: halo gradients are added to their owners, overlapping and multi-hop") {
  const Communicator world = Communicator::world();
  std::mt19937 random(12);
  for (int round = 0; round < rounds; ++round) {
    const Shape shape = random_shape(random);
    const Distribution owned(shape, random_mesh(world.size(), random));
    const RankBoxes haloed = with_halo(RankBoxes(owned), shape, 1 + round % 5);
    check_transfer<float>(
        world, haloed, RankBoxes(owned), {.accumulate = true, .zero_first = round % 2 == 0});
  }
}

TEST_CASE("Transfer: halos in place leave every rank with the values of the owners") {
  const Communicator world = Communicator::world();
  std::mt19937 random(13);
  for (int round = 0; round < rounds; ++round) {
    const Shape shape = random_shape(random);
    const Distribution owned(shape, random_mesh(world.size(), random));
    const RankBoxes haloed = with_halo(RankBoxes(owned), shape, 1 + round % 5);
    Block<float> buffer(haloed.box(world.rank()));
    const auto value = [&](const Index& index) { return held<float>(0, index); };
    buffer.fill(owned.box(world.rank()), value);
    const Box box = buffer.box;
    Transfer transfer(world,
                      {.device = &cpu,
                       .source = buffer.data.data(),
                       .source_box = box,
                       .destination = buffer.data.data(),
                       .destination_box = box,
                       .list = transfer_list(RankBoxes(owned), haloed, world.rank())});
    transfer.run();
    Block<float> expected(box);
    expected.fill(box, value);
    CHECK(buffer.data == expected.data);
  }
}

TEST_CASE("Transfer: contiguous rows are neither staged nor copied, columns are") {
  const Communicator world = Communicator::world();
  if (world.size() != 2) return;
  const Shape shape{{1, 8, 1, 64, 64}};
  const auto staging = [&](Axis axis) {
    const Distribution owned(shape, Mesh({{axis, 2}}));
    const RankBoxes haloed = with_halo(RankBoxes(owned), shape, 2);
    const Box box = haloed.box(world.rank());
    Block<float> buffer(box);
    const Transfer transfer(world,
                            {.device = &cpu,
                             .source = buffer.data.data(),
                             .source_box = box,
                             .destination = buffer.data.data(),
                             .destination_box = box,
                             .list = transfer_list(RankBoxes(owned), haloed, world.rank())});
    return transfer.buffer_bytes();
  };
  CHECK(staging(Axis::h) == 0);
  CHECK(staging(Axis::w) == std::int64_t{2} * 2 * 64 * 8 * 4);
}

TEST_CASE("Transfer: several pieces between two ranks travel in the order of the list") {
  const Communicator world = Communicator::world();
  const int right = (world.rank() + 1) % world.size();
  const int left = (world.rank() + world.size() - 1) % world.size();
  const Box box = whole(Shape{{1, 2, 1, 5, 3}});
  Box last_row = box;
  last_row[Dim::h] = {4, 5};
  Box first_rows = box;
  first_rows[Dim::h] = {0, 2};
  Block<float> source(box);
  source.fill(box, [&](const Index& index) { return held<float>(world.rank(), index); });
  for (bool accumulate : {false, true}) {
    Block<float> destination(box);
    Block<float> expected(box);
    for (const Box& piece : {last_row, first_rows}) {
      expected.fill(piece, [&](const Index& index) { return held<float>(left, index); });
    }
    Transfer(world,
             {.device = &cpu,
              .source = source.data.data(),
              .source_box = box,
              .destination = destination.data.data(),
              .destination_box = box,
              .list = {.sends = {{right, last_row}, {right, first_rows}},
                       .receives = {{left, last_row}, {left, first_rows}}},
              .accumulate = accumulate})
        .run();
    CHECK(destination.data == expected.data);
  }
}

TEST_CASE("Transfer: large messages in both directions do not deadlock") {
  const Communicator world = Communicator::world();
  const Shape shape{{world.size(), 16, 1, 512, 256}};
  const Distribution samples(shape, Mesh({{Axis::n, world.size()}}));
  const Distribution rows(shape, Mesh({{Axis::h, world.size()}}));
  check_transfer<float>(world, RankBoxes(samples), RankBoxes(rows), {});
}

TEST_CASE("Transfer: an empty list does nothing, but clears when asked to") {
  const Communicator world = Communicator::world();
  std::vector<float> data(4, 1.0F);
  const Box box = whole(Shape{{1, 1, 1, 2, 2}});
  Transfer(world, {.device = &cpu}).run();
  Transfer(world, {.device = &cpu, .destination = data.data(), .destination_box = box}).run();
  CHECK(data == std::vector<float>(4, 1.0F));
  Transfer(world,
           {.device = &cpu, .destination = data.data(), .destination_box = box, .zero_first = true})
      .run();
  CHECK(data == std::vector<float>(4, 0.0F));
}

TEST_CASE("Transfer: a transfer that would overwrite its own source is refused") {
  const Communicator world = Communicator::world();
  std::vector<float> data(4);
  const Box box = whole(Shape{{1, 1, 1, 2, 2}});
  const TransferSpec in_place{.device = &cpu,
                              .source = data.data(),
                              .source_box = box,
                              .destination = data.data(),
                              .destination_box = box,
                              .list = {{{world.rank(), box}}, {{world.rank(), box}}}};
  TransferSpec spec = in_place;
  spec.zero_first = true;
  CHECK_THROWS_AS(Transfer(world, spec), std::logic_error);
  spec = in_place;
  spec.accumulate = true;
  CHECK_THROWS_AS(Transfer(world, spec), std::logic_error);
  spec = in_place;
  spec.tag = -1;
  CHECK_THROWS_AS(Transfer(world, spec), std::logic_error);
  spec = in_place;
  spec.list.receives.clear();
  CHECK_THROWS_AS(Transfer(world, spec), std::logic_error);
}

}  // namespace cnnplan
