// Computes full approximation storage as the textbooks write it, for one number per layer. It is
// slow and obvious.
#pragma once

#include <functional>
#include <vector>

#include "planner/network/multigrid.hpp"

namespace cnnplan::test {

// Describes u_{n+1} = u_n + h_n F_n(u_n) for n from 0 on.
struct ScalarChain {
  std::vector<double> steps;                              // h_n
  std::function<double(int layer, double u)> derivative;  // F_n
};

struct TextbookResult {
  std::vector<double> states;  // u_0 to u_N
  // Sums of squares over all points: in every cycle after its relaxation, and at the end. The last
  // point is left out if it is not among the first guesses.
  std::vector<double> residual_squares;
};

// Runs the cycles of `setting` from its first guess. `previous` holds the states of an earlier
// step, or is empty for zeros. Every coarsening-th point is on the next level, where a step takes
// the derivative of its first layer. Points are counted from the front. With `from_back`, they are
// counted from the back, so that the last interval is whole.
TextbookResult textbook_multigrid(const ScalarChain& chain,
                                  const Multigrid& setting,
                                  double first,
                                  bool from_back = false,
                                  const std::vector<double>& previous = {});

}  // namespace cnnplan::test
