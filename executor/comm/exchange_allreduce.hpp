// Runs an allreduce in rounds of pairwise exchanges, which planner/platform/exchange_rounds.hpp
// describes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/platform/exchange_rounds.hpp"

namespace cnnplan {

// Holds the rounds of this rank and memory for two chunks. It is built once for each collective of
// a schedule. Each message goes in chunks that stay in cache: while one chunk is added, the next
// one travels.
class ExchangeAllreduce {
 public:
  // The object keeps a reference to `group`. It is not collective.
  // @throws std::logic_error unless `group` has shape.ranks ranks
  ExchangeAllreduce(const Communicator& group, const ExchangeShape& shape);

  // Sums in place, with identical bits on every rank and in every run. This call is collective and
  // blocks.
  // @pre values.size() == shape.elements
  // @throws CommError
  void sum(std::span<float> values);
  void sum(std::span<double> values);

 private:
  template <typename T>
  void run(std::span<T> values);

  const Communicator& group_;
  std::vector<ExchangeRound> rounds_;
  std::vector<const RankList*> peers_;  // by round; these lists live until the program ends
  std::array<std::vector<std::byte>, 2> received_;
};

}  // namespace cnnplan
