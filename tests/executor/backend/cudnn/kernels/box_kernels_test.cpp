// Compares copies of blocks between buffers of the device with the copies of the host.
#include "executor/backend/cudnn/kernels/box_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "tests/emulation/fixture.hpp"

namespace cnnplan::cudnn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array all_elements{
    ElementType::fp32, ElementType::fp64, ElementType::bf16, ElementType::fp16};

std::int64_t integer(std::mt19937& random, std::int64_t first, std::int64_t last) {
  return std::uniform_int_distribution<std::int64_t>(first, last)(random);
}

Box random_box(std::mt19937& random) {
  Box box;
  for (Range& range : box.ranges) {
    range.begin = integer(random, 3, 9);
    range.end = range.begin + integer(random, 1, 4);
  }
  // The channels give runs of every alignment.
  box[Dim::c].end = box[Dim::c].begin + integer(random, 1, 17);
  return box;
}

// Returns a box that is up to two larger on each side, and often not larger.
Box around(const Box& inner, std::mt19937& random) {
  Box outer = inner;
  for (Range& range : outer.ranges) {
    range.begin -= std::max<std::int64_t>(0, integer(random, -2, 2));
    range.end += std::max<std::int64_t>(0, integer(random, -2, 2));
  }
  return outer;
}

// Holds numbers from `first` on, after `offset` elements outside of the buffer.
Bytes numbers(ElementType element, std::int64_t count, std::int64_t offset, int first) {
  Bytes bytes(static_cast<std::size_t>((count + offset) * bytes_of(element)));
  with_type_of(element, [&]<typename T>(T) {
    for (std::int64_t i = 0; i < count + offset; ++i) {
      const T value = stored<T>(static_cast<double>((first + i) % 251) / 8.0);
      std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

struct Problem {
  ElementType element = ElementType::fp32;
  Box box;
  Box from_box;
  Box to_box;
  std::int64_t from_offset = 0;  // elements: buffers need not be aligned
  std::int64_t to_offset = 0;
};

Problem random_problem(ElementType element, std::mt19937& random) {
  Problem problem{.element = element, .box = random_box(random)};
  problem.from_box = around(problem.box, random);
  problem.to_box = around(problem.box, random);
  problem.from_offset = integer(random, 0, 1) * integer(random, 0, 8);
  problem.to_offset = integer(random, 0, 1) * integer(random, 0, 8);
  return problem;
}

BoxCopy copy_of(const Problem& problem, std::byte* to, std::byte* from) {
  const std::int64_t size = bytes_of(problem.element);
  return make_box_copy(
      view_of(to + problem.to_offset * size, problem.to_box, problem.box, size),
      view_of(from + problem.from_offset * size, problem.from_box, problem.box, size),
      problem.element);
}

// Returns whether the device leaves the bytes that the host leaves, also around the block.
bool same_on_device(const Problem& problem, bool adds) {
  emulation::reset();
  Bytes from = numbers(problem.element, volume(problem.from_box), problem.from_offset, 1);
  Bytes to = numbers(problem.element, volume(problem.to_box), problem.to_offset, 100);
  std::byte* device_from = test::device_copy(from);
  std::byte* device_to = test::device_copy(to);
  cudaStream_t stream = test::new_stream();
  const BoxCopy on_device = copy_of(problem, device_to, device_from);
  adds ? add_runs(on_device, stream) : copy_runs(on_device, stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  const BoxCopy on_host = copy_of(problem, to.data(), from.data());
  adds ? add_box(on_host) : copy_box(on_host);
  return test::host_copy(device_to, to.size()) == to;
}

}  // namespace

TEST_CASE("Box kernels: copy and add as the host does, whatever the element and alignment") {
  std::mt19937 random(7);
  for (ElementType element : all_elements) {
    CAPTURE(bytes_of(element));
    for (int round = 0; round < 150; ++round) {
      const Problem problem = random_problem(element, random);
      CHECK(same_on_device(problem, false));
      CHECK(same_on_device(problem, true));
    }
  }
}

TEST_CASE("Box kernels: zeros follow every run, and nothing else changes") {
  std::mt19937 random(11);
  constexpr std::int64_t word = 8;
  for (int round = 0; round < 60; ++round) {
    const Box plain = [&] {
      Box box = random_box(random);
      box[Dim::c].end = box[Dim::c].begin + integer(random, 1, word - 1);
      return box;
    }();
    Box stored = around(plain, random);
    stored[Dim::c] = {plain[Dim::c].begin, plain[Dim::c].begin + word};
    const auto copy_into = [&](std::byte* to, std::byte* from) {
      BoxCopy copy = make_box_copy(
          view_of(to, stored, plain, 2), view_of(from, plain, plain, 2), ElementType::bf16);
      copy.zeros = word - plain[Dim::c].size();
      return copy;
    };
    emulation::reset();
    Bytes from = numbers(ElementType::bf16, volume(plain), 0, 1);
    Bytes to = numbers(ElementType::bf16, volume(stored), 0, 100);
    std::byte* device_to = test::device_copy(to);
    copy_runs(copy_into(device_to, test::device_copy(from)), test::new_stream());
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    copy_box(copy_into(to.data(), from.data()));
    CHECK(test::host_copy(device_to, to.size()) == to);
  }
}

TEST_CASE("Box kernels: zeros that do not fill a word after a run are refused") {
  emulation::reset();
  constexpr std::size_t bytes = 64;
  auto* const to = test::device_array<std::byte>(bytes);
  auto* const from = test::device_array<std::byte>(bytes);
  cudaStream_t stream = test::new_stream();
  const auto copy = [&](ElementType element, std::int64_t zeros, std::ptrdiff_t offset) {
    copy_runs({.destination = to + offset,
               .source = from,
               .element = element,
               .run_elements = 3,
               .zeros = zeros},
              stream);
  };
  CHECK_NOTHROW(copy(ElementType::bf16, 5, 16));
  CHECK_THROWS_AS(copy(ElementType::bf16, 4, 16), std::logic_error);
  CHECK_THROWS_AS(copy(ElementType::bf16, 5, 2), std::logic_error);
  CHECK_THROWS_AS(copy(ElementType::fp32, 5, 16), std::logic_error);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("Box kernels: nothing is copied onto itself") {
  emulation::reset();
  const Problem problem{.box = whole({{1, 4, 1, 5, 6}}),
                        .from_box = whole({{1, 4, 1, 5, 6}}),
                        .to_box = whole({{1, 4, 1, 5, 6}})};
  auto* memory = test::device_array<std::byte>(sizeof(float) * 4 * 5 * 6);
  cudaStream_t stream = test::new_stream();
  copy_runs(copy_of(problem, memory, memory), stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(emulation::counters().kernels == 0);
}

}  // namespace cnnplan::cudnn
