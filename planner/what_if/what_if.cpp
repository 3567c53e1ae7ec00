// Finds figures of the machine by their names, and changes them.
#include "planner/what_if/what_if.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/platform/exchange_times.hpp"

namespace cnnplan {
namespace {

constexpr const char* option = "--what-if";
constexpr std::string_view every_level = "level";
constexpr std::string_view every_kernel = "kernel";

// Holds the least and the largest duplex factor of a level, by size of the messages.
struct DuplexFactors {
  double least = 1.0;
  double most = 1.0;
};
DuplexFactors duplex_range_of(const Level& level) {
  const std::vector<double> factors = duplex_factors(level);
  if (factors.empty()) return {};
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  return {.least = *least, .most = *most};
}

// Returns the duplex factors that a change of `old` may lead to.
NumberRange duplex_factors_from(const DuplexFactors& old) {
  constexpr double both_at_once = 1.0;
  constexpr double one_after_the_other = 2.0;
  return {.minimum = std::min(old.least, both_at_once),
          .maximum = std::max(old.most, one_after_the_other)};
}

[[noreturn]] void refuse(const std::string& text, const std::string& allowed) {
  throw InputError({.file = option, .pointer = "", .value = '"' + text + '"', .allowed = allowed});
}

double changed(const WhatIf& change, double old) {
  const double value = change.multiplies ? old * change.number : change.number;
  if (!std::isfinite(value)) refuse(change.text, "a change that leaves the figure finite");
  return value;
}

// Rounds to a whole number. Parsing the changed platform checks the range of the figure.
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

// Multiplies the times of measured exchanges. A factor that is set takes their place.
void change_duplex_factor(const WhatIf& change, Level& level) {
  if (level.exchange_segments.empty() || !change.multiplies) {
    level.duplex_factor = changed(change, level.duplex_factor);
    level.exchange_segments.clear();
    return;
  }
  change_segments(change, &Segment::alpha_s, level.exchange_segments);
  change_segments(change, &Segment::beta_s_per_byte, level.exchange_segments);
}

// Returns false if levels have no such figure.
bool change_level(const WhatIf& change, Level& level) {
  const std::string& figure = change.figure.name;
  if (figure == "duplex_factor") {
    change_duplex_factor(change, level);
  } else if (figure == "gap_s") {
    level.gap_s = changed(change, level.gap_s);
  } else if (figure == "shared_by") {
    level.shared_by = changed_integer(change, level.shared_by);
  } else if (figure == "alpha_s" || figure == "beta_s_per_byte") {
    const auto member = figure == "alpha_s" ? &Segment::alpha_s : &Segment::beta_s_per_byte;
    change_segments(change, member, level.segments);
    for (const auto& [name, segments] : optional_segment_fields)
      change_segments(change, member, level.*segments);
  } else {
    return false;
  }
  return true;
}

// Refuses a duplex factor that no link has. A measured factor outside of the range may stay, and
// come closer to it.
void check_duplex_factors(const WhatIf& change, const Platform& before, const Platform& after) {
  if (change.figure.name != "duplex_factor") return;
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < after.levels.size(); ++i) {
    const NumberRange range = duplex_factors_from(duplex_range_of(before.levels[i]));
    const DuplexFactors factors = duplex_range_of(after.levels[i]);
    if (range.minimum * (1 - rounding) <= factors.least &&
        factors.most <= range.maximum * (1 + rounding)) {
      continue;
    }
    refuse(
        change.text,
        "a duplex_factor between 1, where sending and receiving at once takes as long as sending, "
        "and 2, where it takes twice as long");
  }
}

void change_collectives(const WhatIf& change, Platform& platform) {
  const std::string& figure = change.figure.name;
  if (figure != "alpha_s" && figure != "beta_s_per_byte") return;
  const auto member = figure == "alpha_s" ? &Segment::alpha_s : &Segment::beta_s_per_byte;
  for (AllreduceFit& fit : platform.allreduce) {
    change_segments(change, member, fit.segments);
  }
}

// Returns false if the platform has no such level, or its levels no such figure.
bool change_levels(const WhatIf& change, Platform& platform) {
  const bool is_every = change.figure.level == every_level;
  bool found = false;
  for (Level& level : platform.levels) {
    if (is_every || change.figure.level == level.name) {
      found = change_level(change, level) || found;
    }
  }
  if (found && is_every) change_collectives(change, platform);
  return found;
}

// Returns false if there is no such figure.
bool change_scalar(const WhatIf& change, Platform& platform) {
  if (change.figure.name == "memory_bytes") {
    platform.memory_bytes = changed_integer(change, platform.memory_bytes);
    return true;
  }
  for (const auto& [name, member] :
       {std::pair{"gamma_s_per_byte", &Platform::gamma_s_per_byte},
        std::pair{"copy_s_per_byte", &Platform::copy_s_per_byte},
        std::pair{"overlap_efficiency", &Platform::overlap_efficiency}}) {
    if (change.figure.name != name) continue;
    platform.*member = changed(change, platform.*member);
    return true;
  }
  return false;
}

// Returns false if there is no such figure.
bool change_platform(const WhatIf& change, Platform& platform) {
  return change.figure.owner == FigureOwner::level ? change_levels(change, platform)
                                                   : change_scalar(change, platform);
}

std::set<std::string_view> kinds_of(const Profile& profile) {
  std::set<std::string_view> kinds;
  for (const auto& [spec, timing] : profile.kernels) kinds.insert(to_text(spec.kind));
  return kinds;
}

std::string kernels_of(const Profile& profile) {
  if (profile.kernels.empty())
    return "times of kernels with a profile only, and there is no profile";
  std::string text = "kernel, or \"kernel.\" before a kind that the profile has:";
  for (std::string_view kind : kinds_of(profile)) text += ' ' + std::string(kind);
  return text;
}

void change_kernels(const WhatIf& change, Profile& profile) {
  if (!change.multiplies || !(change.number > 0.0)) {
    refuse(change.text, "a factor above 0: times of kernels are multiplied");
  }
  const std::string& kind = change.figure.name;
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
      "overlap_efficiency, or alpha_s, beta_s_per_byte, gap_s, duplex_factor, shared_by after "
      "\"level.\"";
  for (const Level& level : platform.levels) text += ", \"" + level.name + ".\"";
  return text + "; or of the profile: kernel, kernel.convolution and so on";
}

// True if the figure stands for all levels, or for all kinds of kernels.
bool stands_for_several(const MachineFigure& figure) {
  return figure.owner == FigureOwner::kernels ? figure.name.empty() : figure.level == every_level;
}

PriceFigure price_figure(MachineFigure figure,
                         std::string unit,
                         const std::vector<double>& values) {
  PriceFigure priced{.figure = std::move(figure), .unit = std::move(unit)};
  priced.several = stands_for_several(priced.figure);
  if (values.empty()) return priced;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  priced.least = *least;
  priced.most = *most;
  return priced;
}

PriceFigure kernel_figure(std::string_view kind) {
  return price_figure({.owner = FigureOwner::kernels, .name = std::string(kind)}, "s", {});
}

// Parses the text before the operator. Names of levels may have dots.
MachineFigure parse_figure(std::string_view text) {
  const auto owned_by_kernels = std::string(every_kernel) + '.';
  if (text == every_kernel) return {.owner = FigureOwner::kernels};
  if (text.starts_with(owned_by_kernels)) {
    return {.owner = FigureOwner::kernels,
            .name = std::string(text.substr(owned_by_kernels.size()))};
  }
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {.name = std::string(text)};
  return {.owner = FigureOwner::level,
          .level = std::string(text.substr(0, dot)),
          .name = std::string(text.substr(dot + 1))};
}

void add_values(const std::vector<Segment>& segments,
                double Segment::*member,
                std::vector<double>& values) {
  for (const Segment& segment : segments) values.push_back(segment.*member);
}

// `name` is the name of the one level, or stands for all levels and the measured collectives.
void add_levels(const std::string& name,
                std::span<const Level> levels,
                std::span<const AllreduceFit> fits,
                std::vector<PriceFigure>& figures) {
  const auto add = [&](const char* field, const char* unit, const std::vector<double>& values) {
    figures.push_back(
        price_figure({.owner = FigureOwner::level, .level = name, .name = field}, unit, values));
  };
  for (const auto& [field, unit, member] :
       {std::tuple{"alpha_s", "s", &Segment::alpha_s},
        std::tuple{"beta_s_per_byte", "s/B", &Segment::beta_s_per_byte}}) {
    std::vector<double> values;
    for (const Level& level : levels) {
      add_values(level.segments, member, values);
      for (const auto& [list, segments] : optional_segment_fields)
        add_values(level.*segments, member, values);
    }
    for (const AllreduceFit& fit : fits) add_values(fit.segments, member, values);
    add(field, unit, values);
  }
  std::vector<double> gaps_s;
  std::vector<double> factors;
  for (const Level& level : levels) {
    gaps_s.push_back(level.gap_s);
    for (const double factor : duplex_factors(level)) factors.push_back(factor);
  }
  add("gap_s", "s", gaps_s);
  add("duplex_factor", "", factors);
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
  figures.push_back(price_figure({.name = "gamma_s_per_byte"}, "s/B", {platform.gamma_s_per_byte}));
  figures.push_back(price_figure({.name = "copy_s_per_byte"}, "s/B", {platform.copy_s_per_byte}));
  const std::set<std::string_view> kinds = kinds_of(profile);
  if (kinds.size() > 1) figures.push_back(kernel_figure(""));
  for (std::string_view kind : kinds) figures.push_back(kernel_figure(kind));
  return figures;
}

NumberRange factors_of(const MachineFigure& figure, const Platform& platform) {
  NumberRange factors{.minimum = 0.0, .ends = Ends::open_below};
  if (figure.owner != FigureOwner::level || figure.name != "duplex_factor") return factors;
  for (const Level& level : platform.levels) {
    if (figure.level != every_level && figure.level != level.name) continue;
    const DuplexFactors now = duplex_range_of(level);
    const NumberRange values = duplex_factors_from(now);
    factors.minimum = std::max(factors.minimum, values.minimum / now.least);
    factors.maximum = std::min(factors.maximum, values.maximum / now.most);
  }
  return factors;
}

std::string to_text(const MachineFigure& figure) {
  switch (figure.owner) {
    case FigureOwner::platform:
      return figure.name;
    case FigureOwner::level:
      return figure.level + '.' + figure.name;
    case FigureOwner::kernels:
      return std::string(every_kernel) + (figure.name.empty() ? "" : '.' + figure.name);
  }
  throw std::logic_error("unknown owner of a figure");
}

WhatIf multiplied(const MachineFigure& figure, double factor) {
  return {.text = to_text(figure), .figure = figure, .number = factor};
}

WhatIf parse_what_if(const std::string& text) {
  const std::size_t at = text.find_first_of("*=");
  const std::string allowed = "FIGURE*NUMBER or FIGURE=NUMBER, as level.beta_s_per_byte*0.5";
  if (at == std::string::npos || at == 0) refuse(text, allowed);
  WhatIf change{.text = text,
                .figure = parse_figure(std::string_view(text).substr(0, at)),
                .multiplies = text[at] == '*'};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + at + 1, end, change.number);
  if (error != std::errc() || parsed != end || !std::isfinite(change.number)) refuse(text, allowed);
  return change;
}

void apply(const WhatIf& change, Platform& platform, Profile& profile) {
  if (change.figure.owner == FigureOwner::kernels) {
    change_kernels(change, profile);
    return;
  }
  const Platform before = platform;
  if (!change_platform(change, platform)) refuse(change.text, figures_of(platform));
  check_duplex_factors(change, before, platform);
  platform = parse_platform(to_json(platform), option);  // checks the ranges that files have
}

void multiply(const MachineFigure& figure, double factor, Platform& platform) {
  if (!change_platform(multiplied(figure, factor), platform)) {
    throw std::logic_error(to_text(figure) + " is no figure of the platform");
  }
}

}  // namespace cnnplan
