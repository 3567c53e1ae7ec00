// Finds the figures that have a limit, and says whether they hold it.
#include "planner/report/error_limits.hpp"

#include <cmath>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// @throws InputError that names the side which does not know its memory
ComparedBytes known_memory(const Comparison& comparison, const ComparedFiles& files) {
  if (const auto memory = compared_memory(comparison)) return *memory;
  const bool plan_knows = comparison.predicted_memory_bytes > 0;
  throw InputError({.file = plan_knows ? files.run : files.plan,
                    .pointer = !plan_knows                    ? "/prediction/memory"
                               : comparison.predicted_process ? "/process_peak_bytes"
                                                              : "/peak_memory_bytes",
                    .value = "0",
                    .allowed = "the memory of a rank, on which --max-memory-error sets a limit"});
}

std::string percent_text(double fraction, int decimals) {
  return fixed(fraction * 100, decimals) + " %";
}

// True if `decimals` digits after the point write the fraction exactly, in percent.
bool is_exact(double fraction, int decimals) {
  const double units = fraction * 100 * std::pow(10.0, decimals);
  return std::fabs(units - std::round(units)) < 1e-6;
}

// Returns how many digits after the point a limit needs, at least one: 0.0001 is 0.01 %, not 0.0 %.
// An error that exceeds the limit has another text than the limit.
int decimals_of(double limit, double error) {
  constexpr int most = 6;
  int decimals = 1;
  const auto is_hidden = [&] {
    return !is_exact(limit, decimals) ||
           (error > limit && percent_text(error, decimals) == percent_text(limit, decimals));
  };
  while (decimals < most && is_hidden()) ++decimals;
  return decimals;
}

}  // namespace

std::string to_text(Gate gate) {
  return gate == Gate::step ? "step" : "memory of a rank";
}

std::string GatedFigure::message() const {
  const int decimals = decimals_of(limit, error);
  return "the predicted " + to_text(gate) + " is " + percent_text(error, decimals) +
         " off the measured one; allowed: " + percent_text(limit, decimals);
}

std::string GatedFigure::limit_text() const {
  return percent_text(limit, decimals_of(limit, limit));
}

std::vector<GatedFigure> gated_figures(const Comparison& comparison,
                                       const ErrorLimits& limits,
                                       const ComparedFiles& files) {
  std::vector<GatedFigure> figures{{.gate = Gate::step,
                                    .predicted = duration(comparison.step.predicted_s),
                                    .measured = duration(comparison.step.measured_s),
                                    .error = comparison.step.error(),
                                    .limit = limits.step}};
  if (!limits.memory) return figures;
  const ComparedBytes memory = known_memory(comparison, files);
  figures.push_back({.gate = Gate::memory,
                     .predicted = bytes_text(memory.predicted_bytes),
                     .measured = bytes_text(memory.measured_bytes),
                     .error = memory.error(),
                     .limit = *limits.memory});
  return figures;
}

}  // namespace cnnplan
