// Sends ids as lines of one text, since their lengths differ.
#include "executor/trace/gathered_ids.hpp"

#include <sstream>

namespace cnnplan {
namespace {

std::string ids_of(const Schedule& schedule) {
  std::string text;
  for (const Operation& operation : schedule.operations) text += operation.id + '\n';
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<std::vector<std::string>> gather_ids(const Schedule& schedule,
                                                 const Communicator& world) {
  std::vector<std::vector<std::string>> ids;
  for (const std::string& text : world.gather(ids_of(schedule), 0)) ids.push_back(lines_of(text));
  return ids;
}

}  // namespace cnnplan
