// Chooses the C++ type of activations, and converts rows of them to floats.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "executor/backend/element.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan::onednn {

// Calls f(T{}) with the type T of activations. @pre precision is fp32 or bf16
template <typename F>
decltype(auto) with_activation(Precision precision, F&& f) {
  if (activation_element(precision) == ElementType::bf16) return f(BFloat16{});
  return f(float{});
}

// Computes to = from, rounded where To is narrower. The types are float and BFloat16.
template <typename To, typename From>
void convert(const From* from, To* to, std::int64_t count);

// Gives a row of activations as floats: the row itself, or a copy where activations are narrower.
template <typename T>
class FloatRow {
 public:
  explicit FloatRow(std::int64_t count) : count_(count) {
    if constexpr (is_narrow) copy_.resize(count);
  }
  // Returns the `count` numbers of `row` as floats. They stay until the next read() or open().
  const float* read(const T* row) {
    if constexpr (is_narrow) convert(row, copy_.data(), count_);
    if constexpr (is_narrow)
      return copy_.data();
    else
      return row;
  }
  // Returns where the numbers of `row` are computed. They are undefined before, and close() stores
  // them.
  float* open(T* row) {
    if constexpr (is_narrow)
      return copy_.data();
    else
      return row;
  }
  // Stores the numbers that were computed after open(row).
  void close(T* row) const {
    if constexpr (is_narrow) convert(copy_.data(), row, count_);
  }
  // Returns the bytes of the copy.
  std::int64_t bytes() const { return copy_.size() * sizeof(float); }

 private:
  static constexpr bool is_narrow = !std::is_same_v<T, float>;
  std::int64_t count_;
  std::vector<float> copy_;
};

}  // namespace cnnplan::onednn
