// Keeps two generations of results, and moves a result to the newer one when it is asked for.
#include "planner/search/graph/folded_costs.hpp"

#include <utility>

#include "planner/search/graph/min_plus.hpp"

namespace cnnplan {
namespace {

CostMatrix folded(const std::vector<double>& unit,
                  const SharedCosts& first,
                  const SharedCosts& second) {
  CostMatrix costs(first.rows(), second.rows());
  std::vector<double> sums(unit.size());
  for (int i = 0; i < costs.rows(); ++i) {
    add_rows(unit, first.row(i), sums);
    for (int j = 0; j < costs.columns(); ++j) costs(i, j) = least_sum(sums, second.row(j));
  }
  return costs;
}

}  // namespace

bool FoldedCosts::Key::operator<(const Key& other) const {
  const auto addresses = [](const Key& key) {
    return std::pair(&key.first.matrix(), &key.second.matrix());
  };
  if (addresses(*this) != addresses(other)) return addresses(*this) < addresses(other);
  return unit < other.unit;
}

void FoldedCosts::Table::begin_run() {
  before_ = std::exchange(now_, {});
}

template <typename Make>
SharedCosts FoldedCosts::Table::get(Key key, const Make& make) {
  const auto found = now_.find(key);
  if (found != now_.end()) return found->second;
  auto known = before_.extract(key);
  if (!known.empty()) return now_.insert(std::move(known)).position->second;
  return now_.emplace(std::move(key), make()).first->second;
}

void FoldedCosts::begin_run() {
  for (Table* table : {&transposed_, &sums_, &without_}) table->begin_run();
}

SharedCosts FoldedCosts::transposed(const SharedCosts& costs) {
  return transposed_.get({.first = costs, .second = costs},
                         [&] { return cnnplan::transposed(costs.matrix()); });
}

SharedCosts FoldedCosts::sum_of(const SharedCosts& a, const SharedCosts& b) {
  return sums_.get({.first = a, .second = b}, [&] { return cnnplan::sum_of(a, b); });
}

SharedCosts FoldedCosts::without(const std::vector<double>& unit,
                                 const SharedCosts& first,
                                 const SharedCosts& second) {
  return without_.get({.first = first, .second = second, .unit = unit},
                      [&] { return folded(unit, first, second); });
}

}  // namespace cnnplan
