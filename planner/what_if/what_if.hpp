// Changes one figure of the machine, as in "cluster.beta_s_per_byte*0.5".
#pragma once

#include <string>
#include <vector>

#include "planner/base/number_range.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Names the part of the machine that has a figure: the platform as a whole, its levels, or the
// kernels of the profile.
enum class FigureOwner { platform, level, kernels };

// Identifies a figure of the machine. Figures of the platform have the names of platform.json:
// memory_bytes, gamma_s_per_byte, copy_s_per_byte and overlap_efficiency, and for levels alpha_s,
// beta_s_per_byte, gap_s, duplex_factor and shared_by.
struct MachineFigure {
  FigureOwner owner = FigureOwner::platform;
  std::string level{};  // the name of the level; "level" stands for all levels
  std::string name{};   // for kernels, the name of their kind; empty stands for all kinds
  bool operator==(const MachineFigure&) const = default;
};
// Writes a figure as parse_what_if reads it: "memory_bytes", "node.alpha_s", "kernel.batch_norm".
std::string to_text(const MachineFigure& figure);

// Describes a change of one figure. FIGURE*NUMBER multiplies the figure, and FIGURE=NUMBER sets it.
struct WhatIf {
  std::string text;  // as the user typed it
  MachineFigure figure;
  bool multiplies = true;
  double number = 1.0;
};

// Reads a change from the command line. @throws InputError that names --what-if
WhatIf parse_what_if(const std::string& text);
// Returns the change that multiplies a figure by `factor`.
WhatIf multiplied(const MachineFigure& figure, double factor);

// Changes the platform or the profile. A change of alpha_s or beta_s_per_byte of all levels also
// changes the measured collectives. Times of kernels can be multiplied only. A duplex_factor may
// become 1 to 2, and a measured one outside of this range may come closer to it. Where exchanges
// were measured, it has a value for each size. Multiplying it multiplies the times of exchanges,
// and setting it replaces them.
// @throws InputError that lists the known figures, or if the new value is out of range
void apply(const WhatIf& change, Platform& platform, Profile& profile);

// Multiplies a time or a rate of the platform by a positive factor, as apply() does, but without a
// check of its range. @throws std::logic_error for a figure that the platform lacks
void multiply(const MachineFigure& figure, double factor, Platform& platform);

// Holds a figure and its values, which may differ between levels and message sizes.
struct PriceFigure {
  MachineFigure figure;
  std::string unit;      // "s", "s/B"; empty for ratios
  double least = 0.0;    // the smallest value
  double most = 0.0;     // the largest value; both are 0 for times of kernels
  bool several = false;  // it stands for all levels, or for all kinds of kernels
  bool operator==(const PriceFigure&) const = default;
};

// Returns the factors by which a change may multiply the figure. Files and rounding may narrow them
// further (apply).
NumberRange factors_of(const MachineFigure& figure, const Platform& platform);

// Lists each figure on which prices of operations depend and that factors can multiply. Counts of
// ranks, such as shared_by, are left out, and so are memory_bytes and overlap_efficiency, which are
// in no price.
std::vector<PriceFigure> price_figures(const Platform& platform, const Profile& profile);

}  // namespace cnnplan
