// Bounds the rounding errors of sums over positions. Every sum of these kernels keeps the rule.
//
// The sum of n terms is wrong by at most 1e-6 sqrt(log2 n) times the sum of their absolute values.
// A chain of m additions in fp32 is wrong by m 2^-24 at most (Higham 2002, section 4.2). So a chain
// has few terms, and chains are added in double.
//
//   kernel          chain in fp32                          bound   allowed
//   gathers         32 terms                               31 u    37 u at n = 32
//   column sums     32 terms                               31 u    37 u at n = 32
//   moments         batches of 8, then of 128 terms,
//                   the error of a mean counts twice       44 u    44 u at n = 128
//
// u is 2^-24. For shorter chains, the bound falls faster than what is allowed.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/host_device.hpp"

namespace cnnplan::cudnn {

// A thread adds at most this number of terms in the type of its numbers, if it takes them one by
// one.
inline constexpr std::uint32_t terms_per_chain = 32;
// A thread adds at most this number of terms if it first adds the terms of each batch
// (batches.hpp).
inline constexpr std::uint32_t terms_per_strip = 128;

// Sums vectors of channels that a thread gathers one by one. @pre at most terms_per_chain of them
template <typename Real, int width>
class ShortSum {
 public:
  CNNPLAN_HOST_DEVICE void add(const Vector<Real, width>& terms) {
    for (int i = 0; i < width; ++i) chain_.values[i] += terms.values[i];
  }
  CNNPLAN_HOST_DEVICE Vector<Real, width> value() const { return chain_; }

 private:
  Vector<Real, width> chain_ = {};
};

// Sums any number of vectors of channels, chain by chain. It takes up to twice as many registers as
// ShortSum.
template <typename Real, int width>
class BlockedSum {
 public:
  CNNPLAN_HOST_DEVICE void add(const Vector<Real, width>& terms) {
    chain_.add(terms);
    if (++terms_ == terms_per_chain) end_chain();
  }
  CNNPLAN_HOST_DEVICE Vector<Real, width> value() const {
    Vector<Real, width> sum = chain_.value();
    for (int i = 0; has_total_ && i < width; ++i) {
      sum.values[i] = static_cast<Real>(total_.values[i] + sum.values[i]);
    }
    return sum;
  }

 private:
  CNNPLAN_HOST_DEVICE void end_chain() {
    const auto sum = chain_.value();
    for (int i = 0; i < width; ++i) total_.values[i] += sum.values[i];
    chain_ = {};
    terms_ = 0;
    has_total_ = true;
  }

  ShortSum<Real, width> chain_;
  std::uint32_t terms_ = 0;
  bool has_total_ = false;
  Vector<double, width> total_ = {};
};

// Calls body(sum) with an empty sum of the type that is fit for this number of terms: ShortSum or
// BlockedSum.
template <typename Real, int width, typename Body>
void with_sum_of(std::int64_t terms, const Body& body) {
  if (terms <= terms_per_chain) {
    body(ShortSum<Real, width>());
  } else {
    body(BlockedSum<Real, width>());
  }
}

}  // namespace cnnplan::cudnn
