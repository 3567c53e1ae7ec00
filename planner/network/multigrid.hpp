// How a residual chain is run by nonlinear multigrid over its layers (FAS, MGRIT).
#pragma once

#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

// What smooths a level before its residual is taken to the next: f_points from their c_points, or
// these, then the c_points, and the f_points again.
enum class Relaxation { f, fcf };
std::string_view to_text(Relaxation relaxation);

// What the first cycle begins with: states from the coarsest level, or those that the step before
// ended with (warm start), zeros in the first step.
enum class FirstGuess { coarse, previous };
std::string_view to_text(FirstGuess guess);

// The largest values of a plan.
inline constexpr int max_coarsening = 65536;
inline constexpr int max_levels = 17;
inline constexpr int max_cycles = 1000;

// Of one chain. Every `coarsening`-th layer of a level is on the next one, with a step that many
// times as long. With a fixed number of cycles, what it computes is close to what the layers would
// one after the other, and equal once there are as many cycles as c_points.
struct Multigrid {
  LayerIndex first = 0;  // of the first block of the chain
  LayerIndex last = 0;   // the add of its last block
  int coarsening = 4;
  int levels = 2;
  int cycles = 2;
  Relaxation relaxation = Relaxation::f;
  FirstGuess first_guess = FirstGuess::coarse;
  // Groups of layers of one rank that run at the same time, each on a lane of its own.
  int concurrency = 1;
  bool operator==(const Multigrid&) const = default;
};

// The most levels on which a chain of so many layers has more than one step everywhere but on the
// last. @pre layers >= 1, coarsening >= 2
int most_levels(int layers, int coarsening);

}  // namespace cnnplan
