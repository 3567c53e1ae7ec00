// Draws random numbers that depend on their purpose, never on earlier draws. So weights, samples
// and dropout masks are the same however the tensors are split.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cnnplan {

// Keeps the numbers of different uses apart. Equal seeds give independent numbers to each use.
enum class RandomUse : std::uint64_t {
  weights = 1,   // initial values
  dropout,       // which elements are dropped
  samples,       // values of synthetic samples
  labels,        // labels of synthetic samples
  order,         // the order of samples in an epoch
  augmentation,  // crops and mirrors
  rounding       // of a verification: noise of rounding, and the places that it checks
};

// Names one sequence of numbers, such as the numbers of one dropout layer in one step.
struct RandomStream {
  std::uint64_t seed = 0;
  RandomUse use = RandomUse::weights;
  std::uint64_t stream = 0;  // layer index, or another number of the sequence
  std::uint64_t step = 0;    // step or epoch; 0 where the numbers do not change in time
};

// Finalises SplitMix64 (Steele, Lea, Flood 2014): a bijection whose every output bit depends on
// every input bit.
constexpr std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

// The increment of SplitMix64 is 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t golden_increment = 0x9e3779b97f4a7c15ULL;

// Returns a key that stands for a whole stream. Compute it once, then draw numbers by their index.
constexpr std::uint64_t random_key(const RandomStream& stream) {
  std::uint64_t key = mix_bits(stream.seed + golden_increment);
  key = mix_bits(key + golden_increment * static_cast<std::uint64_t>(stream.use));
  key = mix_bits(key + golden_increment * (stream.stream + 1));
  return mix_bits(key + golden_increment * (stream.step + 1));
}

// Returns number `index` of the SplitMix64 sequence that starts at `key`.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) {
  return mix_bits(key + golden_increment * (index + 1));
}

// Returns a number in [0, 1) with 53 random bits.
constexpr double random_uniform(std::uint64_t key, std::uint64_t index) {
  constexpr double unit = 0x1.0p-53;
  return static_cast<double>(random_bits(key, index) >> 11) * unit;
}

// Returns the numbers of the indices 2 pair and 2 pair + 1 of a sequence of independent normal
// numbers with mean 0 and variance 1 (Box, Muller 1958).
inline std::array<double, 2> random_normal_pair(std::uint64_t key, std::uint64_t pair) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random_uniform(key, 2 * pair)));
  const double angle = 2.0 * std::numbers::pi * random_uniform(key, 2 * pair + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace cnnplan
