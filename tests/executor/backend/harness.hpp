// Runs one kernel of any backend on plain numbers, so that one test body serves all backends.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/tensor/element.hpp"
#include "tests/executor/backend/candidates.hpp"

namespace cnnplan::test {

// Holds the elements of a block in the order of memory (N, D, H, W, C), as double for every type.
using Values = std::vector<double>;

using Element = BufferElement;
// Returns the element of activations and of the weights that convolutions read.
Element element_of(Precision precision);
// Returns the element of all other parameters and of probabilities.
Element parameter_of(Precision precision);

// Holds the memory of one operand: a block, dense or inside a larger buffer whose margin must stay
// as it is.
class Block {
 public:
  static Block dense(Element element, const Shape& shape);
  // Makes a block at a global position other than zero, with a margin in n, h and w.
  static Block pitched(Element element, const Shape& shape, std::int64_t margin);
  // Makes a dense block of a global tensor.
  static Block at(Element element, const Box& box);

  Block& fill(const Values& values);
  Values values() const;
  TensorView view();
  // Returns the block's view in memory of a device that holds all of device_bytes().
  TensorView view_in(void* memory) const;
  std::span<std::byte> device_bytes();
  // Returns true when no element outside the block was written.
  bool margin_is_untouched() const;

 private:
  Block(Element element, const Box& outer, const Box& inner);
  template <typename F>
  void for_each_offset(F f) const;
  std::byte* data();
  const std::byte* data() const;
  double load(std::int64_t offset) const;
  void store(std::int64_t offset, double value);

  Element element_;
  Box outer_;
  Box inner_;
  std::vector<std::byte> bytes_;
};

Block flat(Element element, std::int64_t elements);

// Holds the weight of a convolution in a backend's format. The backend's own functions fill and
// read it.
class StoredWeight {
 public:
  StoredWeight(const Candidate& candidate, const KernelSpec& convolution);

  Block& block() { return block_; }
  // Returns the weight as forward and backward_data read it.
  Block copy() const;
  StoredWeight& import_plain(const Values& plain);
  Values export_plain();

 private:
  KernelSpec spec_;
  Backend& backend_;
  Block block_;
};

// Builds and runs a kernel of `candidate` in its precision.
void run(const Candidate& candidate,
         KernelSpec spec,
         const KernelConstants& constants,
         const StepState& state,
         const std::vector<Block*>& operands);

// Returns the largest difference, relative to the larger of 1 and the largest expected magnitude.
double difference(const Values& actual, const Values& expected);
// Returns the error of a precision compared with double that rounding explains, for equal inputs.
double tolerance_of(Precision precision);
inline double tolerance_of(const Candidate& candidate) {
  return tolerance_of(candidate.precision);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // Returns a number in [first, last].
  std::int64_t integer(std::int64_t first, std::int64_t last);
  bool coin() { return integer(0, 1) == 1; }
  // Returns normal numbers with unit variance that every precision holds exactly.
  Values values(std::int64_t count);
  // Returns normal numbers with all digits of a float, of which narrower formats lose some.
  Values floats(std::int64_t count);
  // Returns small integers, so that equal values are frequent.
  Values ties(std::int64_t count);

 private:
  std::mt19937_64 engine_;
};

}  // namespace cnnplan::test
