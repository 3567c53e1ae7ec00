// The elements of activations, and rows of them as floats.
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

// to = from, rounded where that is narrower. Of float and BFloat16.
template <typename To, typename From>
void convert(const From* from, To* to, std::int64_t count);

// A row of activations as floats: itself, or what lies beside it where activations are narrower.
template <typename T>
class FloatRow {
 public:
  explicit FloatRow(std::int64_t count) : count_(count) {
    if constexpr (is_narrow) beside_.resize(count);
  }
  const float* read(const T* row) {
    if constexpr (is_narrow) convert(row, beside_.data(), count_);
    if constexpr (is_narrow)
      return beside_.data();
    else
      return row;
  }
  // Where the numbers of `row` are put together, undefined before; they are stored by close().
  float* open(T* row) {
    if constexpr (is_narrow)
      return beside_.data();
    else
      return row;
  }
  void close(T* row) const {
    if constexpr (is_narrow) convert(beside_.data(), row, count_);
  }
  std::int64_t bytes() const { return beside_.size() * sizeof(float); }

 private:
  static constexpr bool is_narrow = !std::is_same_v<T, float>;
  std::int64_t count_;
  std::vector<float> beside_;
};

}  // namespace cnnplan::onednn
