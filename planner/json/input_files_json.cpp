// Checks the digits of digests, and converts the list of input files.
#include "planner/json/input_files_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace cnnplan {
namespace {

constexpr std::size_t sha256_digits = 64;

}  // namespace

std::string read_digest(const JsonReader& reader) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  std::string digest = reader.name();
  if (digest.size() != sha256_digits || !std::all_of(digest.begin(), digest.end(), is_digit)) {
    reader.refuse("64 digits of 0-9 and a-f");
  }
  return digest;
}

std::vector<InputFile> read_input_files(const JsonReader& root) {
  std::vector<InputFile> inputs;
  if (!root.has("inputs")) return inputs;
  for (const JsonReader& entry : root.at("inputs").entries()) {
    entry.allow_keys({"file", "sha256"});
    inputs.push_back({.file = entry.at("file").name(), .sha256 = read_digest(entry.at("sha256"))});
  }
  return inputs;
}

nlohmann::ordered_json to_ordered_json(const std::vector<InputFile>& inputs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const InputFile& input : inputs) {
    list.push_back({{"file", input.file}, {"sha256", input.sha256}});
  }
  return list;
}

}  // namespace cnnplan
