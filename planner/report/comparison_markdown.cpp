// Writes a comparison as Markdown.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/report/comparison_formats.hpp"
#include "planner/report/comparison_rows.hpp"
#include "planner/report/escaped_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t most_layers = 3;

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += cell.empty() ? " |" : ' ' + cell + " |";
  return text + '\n';
}

// Returns an empty text for a figure without a limit.
std::string limit_text(const std::vector<GatedFigure>& figures, Gate gate) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const GatedFigure& figure) {
    return figure.gate == gate;
  });
  return found == figures.end() ? "" : found->limit_text();
}

std::string time_row(const std::string& title, const ComparedTime& time, const std::string& limit) {
  const std::string error = signed_error(time);
  return row({title,
              duration(time.predicted_s),
              duration(time.measured_s),
              error == "-" ? error : error + " %",
              limit});
}

std::string memory_row(const ComparedBytes& memory, const std::string& limit) {
  const double ratio =
      static_cast<double>(memory.predicted_bytes) / static_cast<double>(memory.measured_bytes);
  return row({"memory of a rank",
              bytes_text(memory.predicted_bytes),
              bytes_text(memory.measured_bytes),
              fixed((ratio - 1) * 100, 1) + " %",
              limit});
}

std::string table(const Comparison& comparison, const std::vector<GatedFigure>& figures) {
  std::string text = row({"", "predicted", "measured", "error", "limit"}) +
                     row({"---", "---:", "---:", "---:", "---:"}) +
                     time_row("step", comparison.step, limit_text(figures, Gate::step));
  if (const auto memory = compared_memory(comparison)) {
    text += memory_row(*memory, limit_text(figures, Gate::memory));
  }
  std::vector<ComparedTime> layers = most_off_first(comparison.groups);
  layers.resize(std::min(layers.size(), most_layers));
  for (const ComparedTime& layer : layers) text += time_row(markdown_code(layer.name), layer, "");
  return text;
}

// Returns the text as a sentence.
std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(text.front()));
  return text + '.';
}

// The table has no row for the rest of the step.
std::string sentence_of_rest(const Comparison& comparison) {
  const std::string text = rest_text(comparison);
  return text.empty() ? "" : ' ' + sentence(text);
}

}  // namespace

std::string markdown_text(const Comparison& comparison, const std::vector<GatedFigure>& figures) {
  const bool all_hold = std::all_of(
      figures.begin(), figures.end(), [](const GatedFigure& figure) { return figure.holds(); });
  std::string text =
      all_hold ? "**The prediction holds.**" : "**The prediction is outside its limit.**";
  for (const GatedFigure& figure : figures) text += ' ' + sentence(figure.message());
  text += "\n\n" + markdown_code(comparison.network) + " on " + size_text(comparison) + ": " +
          spread_text(comparison.measured_step) +
          ". The layers furthest off follow, the furthest first." + sentence_of_rest(comparison) +
          "\n\n" + table(comparison, figures);
  const std::string& reason = comparison.reason.text;
  if (!reason.empty()) text += "\nLikely reason: " + markdown_code(reason) + '\n';
  const std::string origin = origin_text(comparison.environment);
  return origin.empty() ? text : text + "\nMeasured: " + markdown_code(origin) + '\n';
}

}  // namespace cnnplan
