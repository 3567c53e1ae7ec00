// Maps the index of a thread to a place in a channels-last block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include "executor/backend/host_device.hpp"
#include "executor/backend/tensor_view.hpp"

namespace cnnplan::cudnn {

// Divides by a number that is known beforehand: a multiplication and a shift, exact for dividends
// below 2^31 (Granlund, Montgomery 1994).
class Divider {
 public:
  Divider() = default;
  // @pre 0 < divisor < 2^31
  explicit Divider(std::int64_t divisor)
      : divisor_(static_cast<std::uint32_t>(divisor)),
        shift_(31 + std::bit_width(divisor_ - 1)),
        multiplier_(
            static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_)) {}

  CNNPLAN_HOST_DEVICE std::uint32_t quotient(std::uint32_t dividend) const {
    return static_cast<std::uint32_t>((std::uint64_t{dividend} * multiplier_) >> shift_);
  }
  CNNPLAN_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_ = 1;
  int shift_ = 31;
  std::uint32_t multiplier_ = 0x80000000U;
};

// Holds the result of divide().
struct Quotient {
  std::uint32_t quotient = 0;
  std::uint32_t remainder = 0;
};

// Divides with a remainder. @pre dividend < 2^31
CNNPLAN_HOST_DEVICE inline Quotient divide(std::uint32_t dividend, const Divider& divider) {
  const std::uint32_t quotient = divider.quotient(dividend);
  return {quotient, dividend - quotient * divider.divisor()};
}

// Holds a sample and a place in its image, counted from the first of a block. It has no channel.
struct Position {
  std::int32_t n = 0;
  std::int32_t d = 0;
  std::int32_t h = 0;
  std::int32_t w = 0;
};

// Returns how many elements consecutive positions of a view are apart, or -1 where the distances
// differ or exceed 32 bits. A view of at most one position has the distance 0.
inline std::int64_t position_step(const TensorView& view) {
  const Shape shape = view.shape();
  std::int64_t step = 0;
  std::int64_t inner_positions = 1;
  for (Dim dim : {Dim::w, Dim::h, Dim::d, Dim::n}) {
    if (shape[dim] < 2) continue;
    if (inner_positions == 1) step = view.stride(dim);
    if (view.stride(dim) != step * inner_positions) return -1;
    inner_positions *= shape[dim];
  }
  return step == static_cast<std::uint32_t>(step) ? step : -1;
}

// Holds a position with its number. Where all blocks of a launch are even, nobody needs the
// coordinates, and they are 0.
struct Place : Position {
  std::uint32_t index = 0;
  bool is_even = false;

  Place() = default;  // so that a list of coordinates is a Position
};

// Numbers the positions of a block in the order of memory.
class Positions {
 public:
  Positions() = default;
  explicit Positions(const Shape& shape)
      : count_(shape[Dim::n] * shape[Dim::d] * shape[Dim::h] * shape[Dim::w]),
        d_(at_least_one(shape[Dim::d])),
        h_(at_least_one(shape[Dim::h])),
        w_(at_least_one(shape[Dim::w])) {}
  // Numbers the positions of `shape` for kernels that only access blocks. Where the positions of
  // each block are equally far apart, place() makes no division.
  Positions(const Shape& shape, std::initializer_list<const TensorView*> blocks)
      : Positions(shape) {
    is_even_ = true;
    for (const TensorView* block : blocks) is_even_ = is_even_ && position_step(*block) >= 0;
  }

  CNNPLAN_HOST_DEVICE std::int64_t count() const { return count_; }
  // Returns the position of this number. @pre index < count() < 2^31
  CNNPLAN_HOST_DEVICE Position at(std::uint32_t index) const {
    const Quotient by_w = divide(index, w_);
    const Quotient by_h = divide(by_w.quotient, h_);
    const Quotient by_d = divide(by_h.quotient, d_);
    Position place;
    place.n = by_d.quotient;
    place.d = by_d.remainder;
    place.h = by_h.remainder;
    place.w = by_w.remainder;
    return place;
  }
  // Returns the place that Block::at() takes. @pre index < count() < 2^31
  CNNPLAN_HOST_DEVICE Place place(std::uint32_t index) const {
    Place place;
    if (!is_even_) static_cast<Position&>(place) = at(index);
    place.index = index;
    place.is_even = is_even_;
    return place;
  }

 private:
  static std::int64_t at_least_one(std::int64_t extent) { return extent > 0 ? extent : 1; }

  std::int64_t count_ = 0;
  Divider d_;
  Divider h_;
  Divider w_;
  bool is_even_ = false;
};

// Addresses a block in memory by local positions. T may be const.
template <typename T>
struct Block {
  T* data = nullptr;
  std::int64_t n = 0;  // strides, in elements
  std::int64_t d = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
  std::uint32_t step = 0;  // position_step(), if it is not negative

  Block() = default;
  explicit Block(const TensorView& view)
      : data(view.as<T>()),
        n(view.stride(Dim::n)),
        d(view.stride(Dim::d)),
        h(view.stride(Dim::h)),
        w(view.stride(Dim::w)),
        step(static_cast<std::uint32_t>(std::max<std::int64_t>(position_step(view), 0))) {}

  // Both functions return the address of the first channel of a position.
  CNNPLAN_HOST_DEVICE T* at(const Position& position) const {
    return data + position.n * n + position.d * d + position.h * h + position.w * w;
  }
  CNNPLAN_HOST_DEVICE T* at(const Place& place) const {
    if (place.is_even) return data + std::uint64_t{place.index} * step;
    return at(static_cast<const Position&>(place));
  }
};

}  // namespace cnnplan::cudnn
