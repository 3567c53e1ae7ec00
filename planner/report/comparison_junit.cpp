// Writes a comparison as a JUnit document.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "planner/report/comparison_formats.hpp"
#include "planner/report/comparison_rows.hpp"
#include "planner/report/escaped_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

std::string attribute(const std::string& name, const std::string& value) {
  return ' ' + name + "=\"" + xml_text(value) + '"';
}

std::string seconds_text(double seconds) {
  return fixed(seconds, 6);
}

std::string value_of(const std::map<std::string, std::string>& environment,
                     const std::string& key) {
  const auto found = environment.find(key);
  return found == environment.end() ? "" : found->second;
}

// JUnit's timestamps name no zone.
std::string begin_text(const Comparison& comparison, std::size_t failures, std::size_t tests) {
  std::string text =
      "<testsuite name=\"cnnplan compare\"" + attribute("tests", std::to_string(tests)) +
      attribute("failures", std::to_string(failures)) + " errors=\"0\" skipped=\"0\"" +
      attribute("time", seconds_text(comparison.step.measured_s));
  std::string date = value_of(comparison.environment, "date");
  if (date.ends_with('Z')) date.pop_back();
  if (!date.empty()) text += attribute("timestamp", date);
  const std::string host = value_of(comparison.environment, "host");
  return text + (host.empty() ? "" : attribute("hostname", host)) + ">\n";
}

std::string properties(const Comparison& comparison) {
  std::map<std::string, std::string> values = comparison.environment;
  values["network"] = comparison.network;
  values["ranks"] = std::to_string(comparison.ranks);
  values["batch"] = std::to_string(comparison.batch);
  std::string text = "<properties>\n";
  for (const auto& [name, value] : values) {
    text += "<property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  return text + "</properties>\n";
}

// Says more than the message of a step that fails its limit, in lines that each begin with a break.
std::string furthest_off(const Comparison& comparison) {
  constexpr std::size_t most_layers = 3;
  const std::vector<ComparedTime> layers = most_off_first(comparison.groups);
  std::string text = '\n' + spread_text(comparison.measured_step);
  const std::string& reason = comparison.reason.text;
  if (!reason.empty()) text += "\nlikely reason: " + reason;
  for (std::size_t i = 0; i < std::min(most_layers, layers.size()); ++i) {
    text += '\n' + layers[i].name + ": predicted " + duration(layers[i].predicted_s) +
            ", measured " + duration(layers[i].measured_s);
  }
  return text;
}

std::string test_case(const Comparison& comparison, const GatedFigure& figure) {
  const bool is_step = figure.gate == Gate::step;
  std::string text = "<testcase" +
                     attribute("classname", comparison.network + ", " + size_text(comparison)) +
                     attribute("name", "predicted " + to_text(figure.gate)) +
                     attribute("time", seconds_text(is_step ? comparison.step.measured_s : 0.0));
  if (figure.holds()) return text + "/>\n";
  return text + ">\n<failure" + attribute("message", figure.message()) +
         " type=\"prediction_outside_limit\">" +
         xml_text("predicted " + figure.predicted + ", measured " + figure.measured +
                  (is_step ? furthest_off(comparison) : "")) +
         "</failure>\n</testcase>\n";
}

}  // namespace

std::string junit_text(const Comparison& comparison, const std::vector<GatedFigure>& figures) {
  const auto failures = std::count_if(
      figures.begin(), figures.end(), [](const GatedFigure& figure) { return !figure.holds(); });
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" +
                     begin_text(comparison, static_cast<std::size_t>(failures), figures.size()) +
                     properties(comparison);
  for (const GatedFigure& figure : figures) text += test_case(comparison, figure);
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace cnnplan
