// Matrices of eliminations that come up again: networks repeat blocks, and a search solves a graph
// many times while few of its prices change.
#pragma once

#include <map>
#include <vector>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Matrices by what they are made of: of other matrices the address counts, of units the values.
// What a run does not ask for is forgotten when the next one begins.
class FoldedCosts {
 public:
  void begin_run();

  SharedCosts transposed(const SharedCosts& costs);
  // @pre as many rows and columns
  SharedCosts sum_of(const SharedCosts& a, const SharedCosts& b);
  // What a unit costs at best for every pair of candidates of two others: rows are those of the
  // first. @pre columns of both matrices are the unit's candidates, rows those of the others
  SharedCosts without(const std::vector<double>& unit,
                      const SharedCosts& first,
                      const SharedCosts& second);

 private:
  // Holds what its addresses belong to.
  struct Key {
    SharedCosts first;
    SharedCosts second;
    std::vector<double> unit{};
    bool operator<(const Key& other) const;
  };
  // Of this run and of the one before.
  class Table {
   public:
    void begin_run();
    template <typename Make>
    SharedCosts get(Key key, const Make& make);

   private:
    std::map<Key, SharedCosts> now_;
    std::map<Key, SharedCosts> before_;
  };

  Table transposed_;
  Table sums_;
  Table without_;
};

}  // namespace cnnplan
