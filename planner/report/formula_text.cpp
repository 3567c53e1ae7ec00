// Writes sums with units, as people write them.
#include "planner/report/formula_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "planner/base/wrapped_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// Writes whole numbers in full, and other numbers with six significant digits.
std::string amount_text(const FormulaTerm& term) {
  if (term.is_rate && term.unit != "s") return with_prefix(term.amount, term.unit);
  if (term.unit == "s") return duration(term.amount);
  const bool is_whole = term.amount == std::round(term.amount) && std::fabs(term.amount) < 1e15;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), is_whole ? "%.0f" : "%.6g", term.amount);
  return buffer.data() + (term.unit.empty() ? "" : ' ' + term.unit);
}

std::string value_text(const FormulaTerm& term) {
  if (term.is_rate && term.unit == "s") return fixed(term.value, 3);
  if (term.is_rate) return with_prefix(term.value, term.unit + "/s");
  return term.unit.empty() ? duration(term.value) : significant(term.value * 1e9, 4) + " ns/B";
}

std::string to_text(const FormulaTerm& term) {
  const std::string figure = (term.figure.empty() ? "" : term.figure + ' ') + value_text(term);
  if (term.is_rate) return amount_text(term) + " / " + figure;
  const bool is_once = term.amount == 1.0 && term.unit.empty();
  return is_once ? figure : amount_text(term) + " x " + figure;
}

// Breaks a text that begins after `head`. Further lines are indented by six columns.
std::string hanging(const std::string& head, const std::string& text, std::size_t columns) {
  constexpr std::size_t indent = 6;
  if (head.size() + text.size() <= columns) return head + text + '\n';
  const std::string first = wrapped(text, columns - head.size()).front();
  const std::string rest = text.substr(first.size());
  return head + first + '\n' + (rest.empty() ? "" : indented(rest, indent, columns));
}

std::string what_text(const Formula& formula) {
  if (formula.low_s == formula.high_s) return formula.what;
  return formula.what + " (" + duration(formula.low_s) + " to " + duration(formula.high_s) + ")";
}

}  // namespace

std::string to_text(const std::vector<FormulaTerm>& terms) {
  std::string text;
  for (const FormulaTerm& term : terms) text += (text.empty() ? "" : " + ") + to_text(term);
  return text;
}

std::string to_text(const std::vector<Formula>& formulas, std::size_t columns) {
  std::string text = indented(
      "prices, on the rank where each operation takes longest, nobody waiting", 0, columns);
  for (const Formula& formula : formulas) {
    text += hanging("",
                    formula.operation + ": " + duration(formula.seconds) + " on rank " +
                        std::to_string(formula.rank) + ", " + what_text(formula),
                    columns);
    if (!formula.terms.empty()) text += hanging("    = ", to_text(formula.terms), columns);
  }
  return text;
}

}  // namespace cnnplan
