// Figures by name.
#include "planner/what_if/what_if.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

constexpr const char* option = "--what-if";
constexpr std::string_view every_level = "level";
constexpr std::string_view every_level_prefix = "level.";
constexpr std::string_view every_kernel = "kernel";

[[noreturn]] void refuse(const std::string& text, const std::string& allowed) {
  throw InputError({.file = option, .pointer = "", .value = '"' + text + '"', .allowed = allowed});
}

double changed(const WhatIf& change, double old) {
  return change.multiplies ? old * change.number : change.number;
}

// Whole numbers are rounded; what no longer is one is refused with all other ranges.
template <typename Integer>
Integer changed_integer(const WhatIf& change, Integer old) {
  const double value = std::round(changed(change, static_cast<double>(old)));
  if (!(std::abs(value) < 9e18)) refuse(change.text, "a figure below 2^63");
  return static_cast<Integer>(value);
}

void change_segments(const WhatIf& change,
                     double Segment::*member,
                     std::vector<Segment>& segments) {
  for (Segment& segment : segments) segment.*member = changed(change, segment.*member);
}

// False where a level has no such figure.
bool change_level(const WhatIf& change, std::string_view figure, Level& level) {
  if (figure == "duplex_factor") {
    level.duplex_factor = changed(change, level.duplex_factor);
  } else if (figure == "gap_s") {
    level.gap_s = changed(change, level.gap_s);
  } else if (figure == "shared_by") {
    level.shared_by = changed_integer(change, level.shared_by);
  } else if (figure == "alpha_s" || figure == "beta_s_per_byte") {
    const auto member = figure == "alpha_s" ? &Segment::alpha_s : &Segment::beta_s_per_byte;
    change_segments(change, member, level.segments);
    for (const auto& [name, steps] : ring_step_fields)
      change_segments(change, member, level.*steps);
  } else {
    return false;
  }
  return true;
}

void change_library(const WhatIf& change, std::string_view figure, Platform& platform) {
  if (figure != "alpha_s" && figure != "beta_s_per_byte") return;
  const auto member = figure == "alpha_s" ? &Segment::alpha_s : &Segment::beta_s_per_byte;
  for (AllreduceFit& fit : platform.allreduce) {
    change_segments(change, member, fit.segments);
  }
}

bool change_levels(const WhatIf& change, Platform& platform) {
  const std::string_view text = change.figure;
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view name = text.substr(0, dot);
  const std::string_view figure = text.substr(dot + 1);
  bool found = false;
  for (Level& level : platform.levels) {
    if (name == every_level || name == level.name) {
      found = change_level(change, figure, level) || found;
    }
  }
  if (found && name == every_level) change_library(change, figure, platform);
  return found;
}

bool change_scalar(const WhatIf& change, Platform& platform) {
  if (change.figure == "memory_bytes") {
    platform.memory_bytes = changed_integer(change, platform.memory_bytes);
    return true;
  }
  for (const auto& [name, member] :
       {std::pair{"gamma_s_per_byte", &Platform::gamma_s_per_byte},
        std::pair{"copy_s_per_byte", &Platform::copy_s_per_byte},
        std::pair{"overlap_efficiency", &Platform::overlap_efficiency}}) {
    if (change.figure != name) continue;
    platform.*member = changed(change, platform.*member);
    return true;
  }
  return false;
}

bool is_kernel_figure(std::string_view figure) {
  return figure == every_kernel || figure.starts_with(std::string(every_kernel) + '.');
}

std::set<std::string_view> kinds_of(const Profile& profile) {
  std::set<std::string_view> kinds;
  for (const auto& [spec, timing] : profile.kernels) kinds.insert(to_text(spec.kind));
  return kinds;
}

std::string kernels_of(const Profile& profile) {
  if (profile.kernels.empty()) return "times of kernels with a profile only; there is none";
  std::string text = "kernel, or behind \"kernel.\" what the profile has:";
  for (std::string_view kind : kinds_of(profile)) text += ' ' + std::string(kind);
  return text;
}

void change_kernels(const WhatIf& change, Profile& profile) {
  if (!change.multiplies || !(change.number > 0.0)) {
    refuse(change.text, "a factor above 0: times of kernels are multiplied");
  }
  const std::size_t dot = change.figure.find('.');
  const std::string kind = dot == std::string::npos ? "" : change.figure.substr(dot + 1);
  bool found = false;
  for (auto& [spec, timing] : profile.kernels) {
    if (!kind.empty() && to_text(spec.kind) != kind) continue;
    found = true;
    for (double KernelTiming::*member : {&KernelTiming::median_s,
                                         &KernelTiming::mean_s,
                                         &KernelTiming::stddev_s,
                                         &KernelTiming::min_s,
                                         &KernelTiming::rank_spread_s}) {
      timing.*member *= change.number;
    }
  }
  if (!found) refuse(change.text, kernels_of(profile));
}

std::string figures_of(const Platform& platform) {
  std::string text =
      "a figure of the platform: memory_bytes, gamma_s_per_byte, copy_s_per_byte, "
      "overlap_efficiency, or alpha_s, beta_s_per_byte, gap_s, duplex_factor, shared_by behind "
      "\"level.\"";
  for (const Level& level : platform.levels) text += ", \"" + level.name + ".\"";
  return text + "; or of the profile: kernel, kernel.convolution and so on";
}

PriceFigure figure_of(std::string name, std::string unit, const std::vector<double>& values) {
  PriceFigure figure{.name = std::move(name), .unit = std::move(unit)};
  figure.several = figure.name == every_kernel || figure.name.starts_with(every_level_prefix);
  if (values.empty()) return figure;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  figure.least = *least;
  figure.most = *most;
  return figure;
}

void add_values(const std::vector<Segment>& segments,
                double Segment::*member,
                std::vector<double>& values) {
  for (const Segment& segment : segments) values.push_back(segment.*member);
}

// `prefix` stands for these levels and, where it is "level", for the measured collectives.
void add_levels(const std::string& prefix,
                std::span<const Level> levels,
                std::span<const AllreduceFit> fits,
                std::vector<PriceFigure>& figures) {
  for (const auto& [name, unit, member] :
       {std::tuple{".alpha_s", "s", &Segment::alpha_s},
        std::tuple{".beta_s_per_byte", "s/B", &Segment::beta_s_per_byte}}) {
    std::vector<double> values;
    for (const Level& level : levels) {
      add_values(level.segments, member, values);
      for (const auto& [step, segments] : ring_step_fields)
        add_values(level.*segments, member, values);
    }
    for (const AllreduceFit& fit : fits) add_values(fit.segments, member, values);
    figures.push_back(figure_of(prefix + name, unit, values));
  }
  for (const auto& [name, unit, member] :
       {std::tuple{".gap_s", "s", &Level::gap_s},
        std::tuple{".duplex_factor", "", &Level::duplex_factor}}) {
    std::vector<double> values;
    for (const Level& level : levels) values.push_back(level.*member);
    figures.push_back(figure_of(prefix + name, unit, values));
  }
}

}  // namespace

std::vector<PriceFigure> price_figures(const Platform& platform, const Profile& profile) {
  std::vector<PriceFigure> figures;
  const bool has_all = platform.levels.size() != 1 || !platform.allreduce.empty();
  if (has_all) {
    add_levels(std::string(every_level), platform.levels, platform.allreduce, figures);
  }
  for (const Level& level : platform.levels) {
    if (has_all && level.name == every_level) continue;
    add_levels(level.name, std::span(&level, 1), {}, figures);
  }
  figures.push_back(figure_of("gamma_s_per_byte", "s/B", {platform.gamma_s_per_byte}));
  figures.push_back(figure_of("copy_s_per_byte", "s/B", {platform.copy_s_per_byte}));
  const std::set<std::string_view> kinds = kinds_of(profile);
  if (kinds.size() > 1) figures.push_back(figure_of(std::string(every_kernel), "s", {}));
  for (std::string_view kind : kinds) {
    figures.push_back(figure_of(std::string(every_kernel) + '.' + std::string(kind), "s", {}));
  }
  return figures;
}

WhatIf parse_what_if(const std::string& text) {
  const std::size_t at = text.find_first_of("*=");
  const std::string allowed = "FIGURE*NUMBER or FIGURE=NUMBER, as level.beta_s_per_byte*0.5";
  if (at == std::string::npos || at == 0) refuse(text, allowed);
  WhatIf change{.text = text, .figure = text.substr(0, at), .multiplies = text[at] == '*'};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + at + 1, end, change.number);
  if (error != std::errc() || parsed != end || !std::isfinite(change.number)) refuse(text, allowed);
  return change;
}

void apply(const WhatIf& change, Platform& platform, Profile& profile) {
  if (is_kernel_figure(change.figure)) {
    change_kernels(change, profile);
    return;
  }
  if (!change_scalar(change, platform) && !change_levels(change, platform)) {
    refuse(change.text, figures_of(platform));
  }
  platform = parse_platform(to_json(platform), option);  // the ranges of the file hold here, too
}

}  // namespace cnnplan
