// Writes the documents of commands.
#include "planner/commands/documents.hpp"
#include "planner/json/json_writer.hpp"

namespace cnnplan {
namespace {

OrderedJson to_json(const CheckedFile& checked) {
  OrderedJson entry{{"file", checked.file}, {"is_valid", !checked.verdict.empty()}};
  if (!checked.verdict.empty()) {
    entry["verdict"] = checked.verdict;
    return entry;
  }
  entry["exit_code"] = static_cast<int>(checked.exit_code);
  entry["message"] = checked.message;
  if (checked.problem) {
    entry["pointer"] = checked.problem->pointer;
    entry["value"] = checked.problem->value;
    entry["allowed"] = checked.problem->allowed;
  }
  return entry;
}

}  // namespace

std::string to_json(const Simulation& simulation) {
  OrderedJson document = new_document("simulation");
  document["simulated_s"] = simulation.simulated_s;
  document["predicted_s"] = simulation.predicted_s;
  document["kernels_s"] = simulation.kernels_s;
  document["processes"] = simulation.processes;
  document["messages"] = simulation.messages;
  document["folder"] = simulation.folder;
  return write_json(document);
}

std::string to_json(const std::vector<CheckedFile>& files) {
  OrderedJson document = new_document("check");
  document["files"] = OrderedJson::array();
  for (const CheckedFile& file : files) document["files"].push_back(to_json(file));
  return write_json(document);
}

}  // namespace cnnplan
