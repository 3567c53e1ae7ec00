// Converts findings to and from JSON, with the answer as a sentence.
#include "planner/doctor/findings_json.hpp"

#include "planner/doctor/doctor_text.hpp"
#include "planner/json/json_reader.hpp"
#include "planner/json/json_writer.hpp"

namespace cnnplan {

std::string to_json(const std::vector<Finding>& findings) {
  OrderedJson document = new_document("doctor");
  document["answer"] = answer_of(findings);
  document["findings"] = OrderedJson::array();
  for (const Finding& finding : findings) {
    OrderedJson entry = {{"part", finding.part},
                         {"name", finding.name},
                         {"state", name_of(finding.state)},
                         {"text", finding.text}};
    if (!finding.remedy.empty()) entry["remedy"] = finding.remedy;
    document["findings"].push_back(std::move(entry));
  }
  return write_json(document);
}

std::vector<Finding> parse_findings(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source, "doctor");
  const JsonReader root = document.root();
  root.allow_keys({"schema", "generator", "answer", "findings"});
  root.at("answer").text();
  std::vector<Finding> findings;
  for (const JsonReader& entry : root.at("findings").entries()) {
    entry.allow_keys({"part", "name", "state", "text", "remedy"});
    findings.push_back({.part = entry.at("part").name(),
                        .name = entry.at("name").name(),
                        .state = entry.at("state").enumerator<FindingState>(),
                        .text = entry.at("text").text()});
    entry.read("remedy", findings.back().remedy);
  }
  return findings;
}

}  // namespace cnnplan
