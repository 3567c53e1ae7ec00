// Draws random values for round-trip tests. They do not depend on the machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "planner/json/json_reader.hpp"

namespace cnnplan::test {

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : engine_(seed) {}

  std::int64_t integer(std::int64_t minimum, std::int64_t maximum) {
    const auto span = static_cast<std::uint64_t>(maximum) - static_cast<std::uint64_t>(minimum) + 1;
    const std::uint64_t offset = span == 0 ? engine_() : engine_() % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(minimum) + offset);
  }
  std::int64_t integer(const IntegerRange& range) { return integer(range.minimum, range.maximum); }
  int small(int minimum, int maximum) { return static_cast<int>(integer(minimum, maximum)); }
  bool boolean() { return engine_() % 2 == 0; }
  // Returns a number in [0, 1) with 53 random bits.
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Returns a time between nanoseconds and minutes.
  double seconds() { return fraction() * std::pow(10.0, static_cast<double>(integer(-9, 2))); }
  template <typename E>
  E enumerator() {
    const auto& all = Enumerators<E>::all;
    return all[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(all.size()) - 1))];
  }
  // Returns a text that is not empty. It may have characters that JSON and pointers escape.
  std::string text() {
    static constexpr std::string_view alphabet = "abc xyz019_-.~\"\\\n\t/";
    std::string text = "t";
    for (std::int64_t i = integer(0, 8); i > 0; --i)
      text += alphabet[static_cast<std::size_t>(integer(0, 18))];
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cnnplan::test
