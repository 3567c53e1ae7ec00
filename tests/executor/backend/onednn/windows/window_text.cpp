// Takes the text of a convolution apart, word by word.
#include "tests/executor/backend/onednn/windows/window_text.hpp"

#include <sstream>
#include <stdexcept>
#include <vector>

#include "planner/tensor/enumerators.hpp"

namespace cnnplan::test {
namespace {

std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> list;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) list.push_back(std::stoll(word));
  return list;
}

Shape shape_from(const std::string& text) {
  const std::vector<std::int64_t> extents = numbers(text);
  Shape shape;
  for (std::size_t i = 0; i < dim_count; ++i) shape.extents[i] = extents.at(i);
  return shape;
}

void set(Window& window, std::int64_t WindowDim::*member, const std::string& text) {
  const std::vector<std::int64_t> values = numbers(text);
  for (std::size_t i = 0; i < window.dims.size(); ++i) window.dims[i].*member = values.at(i);
}

void set_field(KernelSpec& spec, const std::string& name, const std::string& value) {
  if (name == "in") {
    spec.in = shape_from(value);
  } else if (name == "out") {
    spec.out = shape_from(value);
  } else if (name == "kernel") {
    set(spec.window, &WindowDim::kernel, value);
  } else if (name == "stride") {
    set(spec.window, &WindowDim::stride, value);
  } else if (name == "dilation") {
    set(spec.window, &WindowDim::dilation, value);
  } else if (name == "padding") {
    const std::size_t middle = value.find(':');
    set(spec.window, &WindowDim::padding_begin, value.substr(0, middle));
    set(spec.window, &WindowDim::padding_end, value.substr(middle + 1));
  } else if (name == "groups") {
    spec.groups = std::stoll(value);
  } else {
    throw std::invalid_argument("unknown field " + name);
  }
}

void set_word(KernelSpec& spec, const std::string& word) {
  if (word == "bias") {
    spec.bias = true;
  } else if (word == "relu") {
    spec.relu = true;
  } else if (word == "winograd") {
    spec.algorithm = KernelAlgorithm::winograd;
  } else if (word != "direct") {
    for (const Precision precision : Enumerators<Precision>::all) {
      if (word == to_text(precision)) return void(spec.precision = precision);
    }
    throw std::invalid_argument("unknown word " + word);
  }
}

KernelPhase phase_from(const std::string& name) {
  for (const KernelPhase phase :
       {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
    if (name == "convolution/" + std::string(to_text(phase))) return phase;
  }
  throw std::invalid_argument("no phase of a convolution: " + name);
}

}  // namespace

KernelSpec convolution_from_text(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  KernelSpec spec;
  spec.phase = phase_from(word);
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      set_word(spec, word);
    } else {
      set_field(spec, word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return spec;
}

}  // namespace cnnplan::test
