// A machine with another figure: "cluster.beta_s_per_byte*0.5".
#pragma once

#include <string>

#include "planner/model/platform.hpp"
#include "planner/model/profile.hpp"

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
// copy_s_per_byte, overlap_efficiency; LEVEL.alpha_s, LEVEL.beta_s_per_byte, LEVEL.duplex_factor
// and LEVEL.shared_by of one level, or of all with "level", the measured collectives included.
// Times of the profile: kernel, or kernel.KIND ("kernel.batch_norm"), multiplied only.
// @throws InputError with the figures that there are, or where the new one is out of range
void apply(const WhatIf& change, Platform& platform, Profile& profile);

}  // namespace cnnplan
