// Turns the paths that exporters write into names of modules, and makes them unique.
#include "planner/import/onnx/layer_names.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t longest_name = 200;

bool is_allowed(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// Returns "relu" for "relu_1".
std::string without_number(std::string name) {
  while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) != 0 ||
                           name.back() == '_' || name.back() == '.')) {
    name.pop_back();
  }
  return name;
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Returns true if the operator at the end of a path only repeats the module before it: relu_1/Relu.
bool says_the_same(const std::string& module, const std::string& type) {
  const std::string word = without_number(module.substr(module.rfind('.') + 1));
  return !word.empty() && is_same_word(word, std::string_view(type).substr(0, word.size()));
}

std::string name_of_path(const std::string& path, const std::string& type) {
  std::vector<std::string> parts = split(path);
  if (parts.size() > 1 && parts.back() == type && says_the_same(parts[parts.size() - 2], type)) {
    parts.pop_back();
  }
  std::string name;
  for (const std::string& part : parts) {
    const bool repeats = part.starts_with(name) && part.size() > name.size() &&
                         (name.empty() || part[name.size()] == '.');
    if (repeats) name.clear();
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

bool is_taken_by_files(std::string_view name) {
  return name == "loss" ||
         std::find(reserved_names.begin(), reserved_names.end(), name) != reserved_names.end();
}

}  // namespace

std::string source_name(const OnnxNode& node) {
  constexpr std::string_view suffix = ".weight";
  if (node.inputs.size() > 1) {
    const std::string& weight = node.inputs[1];
    if (weight.size() > suffix.size() && weight.ends_with(suffix)) {
      return weight.substr(0, weight.size() - suffix.size());
    }
  }
  const std::string output = node.outputs.empty() ? node.type : node.outputs.front();
  return name_of_path(node.name.empty() ? output : node.name, node.type);
}

std::string LayerNames::unique(std::string_view wanted) {
  std::string name(wanted.substr(0, longest_name));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_allowed(c); }, '_');
  if (name.find_first_not_of('.') == std::string::npos) name = "layer" + name;
  std::string candidate = name;
  while (taken_.contains(candidate) || is_taken_by_files(candidate)) {
    candidate = name + '_' + std::to_string(++taken_.try_emplace(name, 1).first->second);
  }
  taken_.emplace(candidate, 1);
  return candidate;
}

}  // namespace cnnplan
