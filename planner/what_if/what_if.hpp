// A machine with another figure: "cluster.beta_s_per_byte*0.5".
#pragma once

#include <string>
#include <vector>

#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// FIGURE*NUMBER multiplies, FIGURE=NUMBER sets.
struct WhatIf {
  std::string text;    // as the user typed it
  std::string figure;  // what stands before the operator
  bool multiplies = true;
  double number = 1.0;
};

// @throws InputError naming --what-if
WhatIf parse_what_if(const std::string& text);

// Figures of the platform by their names in platform.json: memory_bytes, gamma_s_per_byte,
// copy_s_per_byte, overlap_efficiency; LEVEL.alpha_s, LEVEL.beta_s_per_byte, LEVEL.gap_s,
// LEVEL.duplex_factor and LEVEL.shared_by of one level, or of all with "level", the measured
// collectives included. Times of the profile: kernel, or kernel.KIND ("kernel.batch_norm"),
// multiplied only.
// @throws InputError with the figures that there are, or where the new one is out of range
void apply(const WhatIf& change, Platform& platform, Profile& profile);

// A figure under the name that WhatIf has for it, and its values, which may differ by level and
// size of message.
struct PriceFigure {
  std::string name;
  std::string unit;  // "s", "s/B"; empty: a ratio
  double least = 0.0;
  double most = 0.0;     // 0: times of kernels, which have no value in common
  bool several = false;  // "level", "kernel": stands for others of the list, too
  bool operator==(const PriceFigure&) const = default;
};

// What prices of operations depend on and can be multiplied by any factor, each under one name:
// no counts of ranks, such as shared_by, and neither memory_bytes nor overlap_efficiency, which are
// in no price.
std::vector<PriceFigure> price_figures(const Platform& platform, const Profile& profile);

}  // namespace cnnplan
