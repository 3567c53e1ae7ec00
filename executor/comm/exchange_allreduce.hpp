// Allreduce in rounds of exchanges, as planner/platform/exchange_rounds.hpp writes them out.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/platform/exchange_rounds.hpp"

namespace cnnplan {

// Built once per plan: the rounds of this rank and room for two chunks. Each message goes in chunks
// that stay in cache; the next one travels while one is added.
class ExchangeAllreduce {
 public:
  // Keeps a reference to `group`, which has shape.ranks ranks.
  ExchangeAllreduce(const Communicator& group, const ExchangeShape& shape);

  // In place; the same bits on every rank and every time. Collective, blocking.
  // @pre values.size() == shape.elements  @throws CommError
  void sum(std::span<float> values);
  void sum(std::span<double> values);

 private:
  template <typename T>
  void run(std::span<T> values);

  const Communicator& group_;
  std::vector<ExchangeRound> rounds_;
  std::array<std::vector<std::byte>, 2> received_;
};

}  // namespace cnnplan
