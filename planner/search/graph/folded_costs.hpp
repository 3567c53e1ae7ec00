// Remembers matrices of eliminations, because networks repeat blocks, and a search solves a graph
// many times while few of its prices change.
#pragma once

#include <map>
#include <vector>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Finds matrices by the operands that they are made of: other matrices by address, and units by
// value. A matrix that a run does not ask for is forgotten when the next run begins.
class FoldedCosts {
 public:
  // Each elimination that uses this object calls this function first.
  void begin_run();

  // Returns the matrix with rows and columns exchanged.
  SharedCosts transposed(const SharedCosts& costs);
  // Returns the sums of the costs at equal places. @pre both have equal numbers of rows, and of
  // columns
  SharedCosts sum_of(const SharedCosts& a, const SharedCosts& b);
  // Returns the least cost of a unit for every pair of candidates of two other units. Rows are the
  // candidates of the first. @pre the columns of both matrices are the unit's candidates, their
  // rows the candidates of the other units
  SharedCosts without(const std::vector<double>& unit,
                      const SharedCosts& first,
                      const SharedCosts& second);

 private:
  // Keeps the matrices alive whose addresses it compares.
  struct Key {
    SharedCosts first;
    SharedCosts second;
    std::vector<double> unit{};
    bool operator<(const Key& other) const;
  };
  // Holds the matrices of this run and of the run before.
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
