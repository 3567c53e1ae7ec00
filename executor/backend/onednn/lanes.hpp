// Defines short vectors, which the compiler maps to the registers of its target.
#pragma once

#include <cstdint>
#include <cstring>

#include "executor/backend/half.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {

// Defines vectors of eight elements: eight doubles fill a 512-bit register.
struct EightLanes {
  static constexpr int count = 8;
  using Floats = float __attribute__((vector_size(count * sizeof(float))));
  using Doubles = double __attribute__((vector_size(count * sizeof(double))));
  using Words = std::uint32_t __attribute__((vector_size(count * sizeof(std::uint32_t))));
  using HalfWords = std::uint16_t __attribute__((vector_size(count * sizeof(std::uint16_t))));
};
// Defines vectors of sixteen floats, which fill a 512-bit register.
struct SixteenLanes {
  static constexpr int count = 16;
  using Floats = float __attribute__((vector_size(count * sizeof(float))));
};
// Defines "vectors" of one element, with which the same loops compute the elements after the last
// whole vector.
struct OneLane {
  static constexpr int count = 1;
  using Floats = float;
  using Doubles = double;
};

// Reads a vector from memory that does not have to be aligned. Vectors are passed by reference,
// because the way to return them depends on the instruction set that the caller is compiled for.
template <typename Vector, typename Element>
CNNPLAN_INLINE void load(Vector& into, const Element* from) {
  std::memcpy(&into, from, sizeof(Vector));
}
// Writes a vector to memory that does not have to be aligned.
template <typename Vector, typename Element>
CNNPLAN_INLINE void store(Element* into, const Vector& from) {
  std::memcpy(into, &from, sizeof(Vector));
}
// Reads 16-bit numbers and converts them to floats. The conversion is a loop for the reason that
// widen() gives.
template <typename Floats>
CNNPLAN_INLINE void load(Floats& into, const BFloat16* from) {
  constexpr std::size_t count = sizeof(Floats) / sizeof(float);
  float wide[count];
  for (std::size_t i = 0; i < count; ++i) wide[i] = from[i];
  std::memcpy(&into, wide, sizeof(wide));
}
// Rounds one float to a 16-bit number.
CNNPLAN_INLINE void store(BFloat16* into, const OneLane::Floats& from) {
  *into = BFloat16(from);
}
// Rounds the bits of eight floats as BFloat16 does, but without branches, which would keep the
// compiler from making vectors. The upper halves of the words have the result.
CNNPLAN_INLINE void round_bits(EightLanes::Words& words) {
  const EightLanes::Words rounded = words + 0x7fffU + ((words >> 16) & 1U);
  const EightLanes::Words quiet = words | 0x400000U;
  words = (words & 0x7fffffffU) > 0x7f800000U ? quiet : rounded;
}
CNNPLAN_INLINE void store(BFloat16* into, const EightLanes::Floats& from) {
  EightLanes::Words words;
  std::memcpy(&words, &from, sizeof(words));
  round_bits(words);
  const EightLanes::Words upper = words >> 16;
  const auto narrow = __builtin_convertvector(upper, EightLanes::HalfWords);
  std::memcpy(static_cast<void*>(into), &narrow, sizeof(narrow));
}
// Rounds floats as if they were stored as numbers of type T and read again.
template <typename T, typename Floats>
CNNPLAN_INLINE void round_as(Floats& values) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return;
  } else if constexpr (sizeof(Floats) == sizeof(float)) {
    values = T(values);
  } else {
    EightLanes::Words words;
    std::memcpy(&words, &values, sizeof(words));
    round_bits(words);
    words &= 0xffff0000U;
    std::memcpy(&values, &words, sizeof(words));
  }
}
// Computes sums += added for the elements of a vector.
template <typename Vector, typename Element>
CNNPLAN_INLINE void add_to(Element* sums, const Vector& added) {
  Vector sum;
  load(sum, sums);
  sum += added;
  store(sums, sum);
}

// Converts floats to doubles. The compiler turns the loop into one instruction, but
// __builtin_convertvector into four.
template <typename Lanes>
CNNPLAN_INLINE void widen(typename Lanes::Doubles& into, const typename Lanes::Floats& from) {
  float narrow[Lanes::count];
  double wide[Lanes::count];
  std::memcpy(narrow, &from, sizeof(narrow));
  for (int i = 0; i < Lanes::count; ++i) wide[i] = narrow[i];
  std::memcpy(&into, wide, sizeof(wide));
}

}  // namespace cnnplan::onednn
