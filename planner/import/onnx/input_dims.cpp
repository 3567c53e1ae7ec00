// Parses numbers separated by x, which replace the last dims of the file.
#include "planner/import/onnx/input_dims.hpp"

#include <algorithm>

#include "planner/base/error.hpp"
#include "planner/import/onnx/printable.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t most_dims = 5;
constexpr std::size_t most_digits = 9;

std::vector<std::int64_t> parsed(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::size_t position = 0;
  while (position <= text.size()) {
    const std::size_t end = std::min(text.find('x', position), text.size());
    const std::string number = text.substr(position, end - position);
    const bool is_number = !number.empty() && number.size() <= most_digits &&
                           number.find_first_not_of("0123456789") == std::string::npos;
    numbers.push_back(is_number ? std::stoll(number) : 0);
    position = end + 1;
  }
  const bool positive = std::all_of(numbers.begin(), numbers.end(), [](auto n) { return n > 0; });
  if (!positive || numbers.size() < 2 || numbers.size() > most_dims) {
    throw InputError({.file = "--input",
                      .pointer = "",
                      .value = '"' + printable(text) + '"',
                      .allowed = "HxW, CxHxW or NxCxHxW (three-dimensional: DxHxW and so on) with "
                                 "sizes from 1 to 999999999, such as 3x512x512"});
  }
  return numbers;
}

// Returns a text such as "(batch, 3, height, width)".
std::string text_of(const OnnxValue& input) {
  std::string text;
  for (std::size_t i = 0; i < input.dims.size(); ++i) {
    const std::string name = input.dim_names[i].empty() ? "?" : printable(input.dim_names[i]);
    text += (i == 0 ? "" : ", ") + (input.dims[i] > 0 ? std::to_string(input.dims[i]) : name);
  }
  return '(' + text + ')';
}

}  // namespace

std::vector<std::int64_t> input_dims(const OnnxValue& input,
                                     const std::string& text,
                                     const std::string& file) {
  std::vector<std::int64_t> given;
  if (!text.empty()) given = parsed(text);
  std::vector<std::int64_t> dims = input.dims;
  // If the file has no shape, the text gives all dims except the batch.
  if (!input.has_shape) dims.assign(std::max<std::size_t>(given.size() + 1, 4), 0);
  if (!input.has_shape && given.size() >= 4) dims.resize(given.size());
  if (given.size() <= dims.size()) {
    std::copy_backward(given.begin(), given.end(), dims.end());
  }
  if (!dims.empty() && dims[0] == 0) dims[0] = 1;
  const bool is_whole = std::all_of(dims.begin(), dims.end(), [](auto n) { return n > 0; });
  if (!is_whole || dims.empty() || given.size() > dims.size()) {
    const std::string place = "input '" + printable(input.name) + '\'';
    throw InputError({.file = file,
                      .pointer = place,
                      .value = "dims " + text_of(input) +
                               (text.empty() ? "" : " with --input " + printable(text)),
                      .allowed = "a number for each dim; --input gives them, as 3x512x512"});
  }
  return dims;
}

}  // namespace cnnplan
