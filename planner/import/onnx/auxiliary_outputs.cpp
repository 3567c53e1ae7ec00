// Splits each text at its last "=", because names may contain "=", too.
#include "planner/import/onnx/auxiliary_outputs.hpp"

#include <algorithm>
#include <charconv>

#include "planner/base/error.hpp"
#include "planner/import/onnx/printable.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& allowed) {
  throw InputError({.file = "--auxiliary",
                    .pointer = "",
                    .value = '"' + printable(text) + '"',
                    .allowed = allowed});
}

AuxiliaryOutput parse(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    refuse(text, "NAME=WEIGHT, as in aux_logits1=0.3");
  }
  AuxiliaryOutput output{.name = text.substr(0, equals)};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + equals + 1, end, output.weight);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == end;
  if (!is_number || !(output.weight > 0 && output.weight <= max_loss_weight)) {
    refuse(text, "a weight above 0, at most 1e6, after the \"=\"");
  }
  return output;
}

}  // namespace

std::vector<AuxiliaryOutput> parse_auxiliary(const std::vector<std::string>& texts,
                                             const std::string& main_output) {
  std::vector<AuxiliaryOutput> outputs;
  for (const std::string& text : texts) {
    AuxiliaryOutput output = parse(text);
    const bool is_known = std::any_of(outputs.begin(), outputs.end(), [&](const auto& known) {
      return known.name == output.name;
    });
    if (is_known || output.name == main_output) {
      refuse(text,
             is_known ? "every output once"
                      : "another output than the main one, which --main-output chooses");
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace cnnplan
