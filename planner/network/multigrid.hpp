// Says how nonlinear multigrid over layers runs a residual chain: the full approximation scheme
// (FAS) as in multigrid reduction in time (MGRIT).
#pragma once

#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

// Says what smooths a level before its residual is restricted. The points of a level are states
// between layers. C-points are also points of the next, coarser level, and all other points are
// F-points. `f` computes F-points from their C-points. `fcf` does this, then computes the C-points,
// and then the F-points again.
enum class Relaxation { f, fcf };
std::string_view to_text(Relaxation relaxation);

// Says where the first cycle begins. `coarse` begins with states from the coarsest level.
// `previous` begins with the last states of the previous step (warm start), which are zeros in the
// first step.
enum class FirstGuess { coarse, previous };
std::string_view to_text(FirstGuess guess);

// These are the largest values that a plan may have in the fields of Multigrid.
inline constexpr int max_coarsening = 65536;
inline constexpr int max_levels = 17;
inline constexpr int max_cycles = 1000;

// Holds the multigrid settings of one chain. Every `coarsening`-th layer of a level is on the next
// level, with a step `coarsening` times as long. A fixed number of cycles approximates the result
// of running the layers in order. With as many cycles as C-points, both results are equal.
struct Multigrid {
  LayerIndex first;    // the first layer of the chain's first block
  LayerIndex last;     // the add of its last block
  int coarsening = 4;  // layers of a level for each layer of the next
  int levels = 2;      // including the finest
  int cycles = 2;      // in each pass over the chain
  Relaxation relaxation = Relaxation::f;
  FirstGuess first_guess = FirstGuess::coarse;
  // This number of groups of layers runs at the same time on one rank, each on its own lane.
  int concurrency = 1;
  bool operator==(const Multigrid&) const = default;
};

// Returns the largest number of levels for a chain of `layers` layers. Every level except the
// coarsest must have more than one layer. @pre layers >= 1, coarsening >= 2
int most_levels(int layers, int coarsening);

}  // namespace cnnplan
