// Full approximation storage as the textbooks write it, for one number per layer: slow and obvious.
#pragma once

#include <functional>
#include <vector>

#include "planner/network/multigrid.hpp"

namespace cnnplan::test {

// u_{n+1} = u_n + h_n F_n(u_n), n from 0 on.
struct ScalarChain {
  std::vector<double> steps;                              // h_n
  std::function<double(int layer, double u)> derivative;  // F_n
};

struct TextbookResult {
  std::vector<double> states;  // u_0 to u_N
  // Sum of squares over all points: in every cycle behind its relaxation, and in the end. Without
  // the last point where that is not among the first guesses.
  std::vector<double> residual_squares;
};

// After the cycles of `setting`, with its first guess; `previous`: states of a step before, empty
// for zeros. Every coarsening-th
// point is on the next level, where a step takes the derivative of its first layer; counted from
// the front, or from the back where `from_back`: then the last interval is whole.
TextbookResult textbook_multigrid(const ScalarChain& chain,
                                  const Multigrid& setting,
                                  double first,
                                  bool from_back = false,
                                  const std::vector<double>& previous = {});

}  // namespace cnnplan::test
