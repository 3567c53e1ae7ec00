// Holds a dense operand between guards, so that a test sees writes outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/element.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {

class GuardedOperand {
 public:
  GuardedOperand(Element element, std::int64_t count)
      : element_(element), count_(count), bytes_((count + 2 * guard) * bytes_of(element)) {
    for (std::int64_t i = -guard; i < count + guard; ++i) store(i, untouched);
  }
  GuardedOperand(Element element, const Values& values)
      : GuardedOperand(element, std::ssize(values)) {
    for (std::int64_t i = 0; i < count_; ++i) store(i, values[i]);
  }

  void* data() { return bytes_.data() + guard * bytes_of(element_); }
  TensorView view(const Shape& shape) {
    return view_of(data(), whole(shape), whole(shape), bytes_of(element_));
  }
  TensorView view() { return view({{1, 1, 1, 1, count_}}); }
  Values values() const {
    Values values;
    for (std::int64_t i = 0; i < count_; ++i) values.push_back(load(i));
    return values;
  }
  bool guards_are_untouched() const {
    bool same = true;
    for (std::int64_t i = 0; i < guard; ++i) {
      same = same && load(-1 - i) == untouched && load(count_ + i) == untouched;
    }
    return same;
  }

 private:
  static constexpr std::int64_t guard = 33;    // more than the vector that a loop may read too much
  static constexpr double untouched = -992.0;  // is exact in every precision

  template <typename F>
  decltype(auto) with_element(F f) const {
    return with_type_of(element_type(element_), f);
  }
  void store(std::int64_t i, double value) {
    with_element([&]<typename T>(T) { static_cast<T*>(data())[i] = stored<T>(value); });
  }
  double load(std::int64_t i) const {
    return with_element([&]<typename T>(T) {
      return static_cast<double>(reinterpret_cast<const T*>(bytes_.data())[guard + i]);
    });
  }

  Element element_;
  std::int64_t count_;
  std::vector<std::byte> bytes_;
};

}  // namespace cnnplan::test
