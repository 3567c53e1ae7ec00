// Names the methods of multigrid, and computes how many levels a chain may have.
#include "planner/network/multigrid.hpp"

namespace cnnplan {

std::string_view to_text(Relaxation relaxation) {
  return relaxation == Relaxation::f ? "f" : "fcf";
}

std::string_view to_text(FirstGuess guess) {
  return guess == FirstGuess::coarse ? "coarse" : "previous";
}

int most_levels(int layers, int coarsening) {
  int levels = 1;
  while (layers > 1) {
    layers = (layers + coarsening - 1) / coarsening;
    ++levels;
  }
  return levels;
}

}  // namespace cnnplan
