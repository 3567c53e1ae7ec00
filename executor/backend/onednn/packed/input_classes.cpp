// Describes the gradient of each class as a convolution of dy with the class's taps in reverse.
#include "executor/backend/onednn/packed/input_classes.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace cnnplan::onednn {
namespace {

InputClass make_class(const KernelSpec& spec, const std::array<const DimClass*, 3>& dims) {
  InputClass made;
  made.convolution.in = spec.out;
  made.convolution.out = {{spec.in[Dim::n], spec.in[Dim::c], 1, 1, 1}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    made.begin[i] = dims[i]->begin;
    made.convolution.out[spatial_dims[i]] = dims[i]->count;
    made.convolution.window.dims[i] = dims[i]->window;
  }
  const auto& [depth, height, width] = spec.window.dims;
  for (const std::int64_t d : dims[0]->taps) {
    for (const std::int64_t h : dims[1]->taps) {
      for (const std::int64_t w : dims[2]->taps) {
        made.taps.push_back((d * height.kernel + h) * width.kernel + w);
      }
    }
  }
  return made;
}

}  // namespace

std::vector<DimClass> classes_of(const WindowDim& window, std::int64_t inputs) {
  std::vector<DimClass> classes;
  for (std::int64_t begin = 0; begin < std::min(window.stride, inputs); ++begin) {
    DimClass one{.begin = begin, .count = (inputs - begin + window.stride - 1) / window.stride};
    const std::int64_t padded = begin + window.padding_begin;
    for (std::int64_t tap = window.kernel - 1; tap >= 0; --tap) {
      if ((padded - tap * window.dilation) % window.stride == 0) one.taps.push_back(tap);
    }
    if (!one.taps.empty()) {
      one.window.kernel = std::ssize(one.taps);
      if (one.window.kernel > 1) {
        one.window.dilation = window.dilation / std::gcd(window.dilation, window.stride);
      }
      one.window.padding_begin = (one.taps.front() * window.dilation - padded) / window.stride;
    }
    classes.push_back(std::move(one));
  }
  return classes;
}

std::vector<InputClass> input_classes(const KernelSpec& convolution) {
  if (volume(convolution.in) * volume(convolution.out) == 0) {
    throw std::logic_error("an empty extent has no classes");
  }
  std::array<std::vector<DimClass>, 3> dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i] = classes_of(convolution.window.dims[i], convolution.in[spatial_dims[i]]);
  }
  std::vector<InputClass> classes;
  for (const DimClass& d : dims[0]) {
    for (const DimClass& h : dims[1]) {
      for (const DimClass& w : dims[2]) {
        if (d.taps.empty() || h.taps.empty() || w.taps.empty()) continue;
        classes.push_back(make_class(convolution, {&d, &h, &w}));
      }
    }
  }
  return classes;
}

std::int64_t input_position(const KernelSpec& convolution,
                            const InputClass& inputs,
                            std::int64_t position) {
  std::array<std::int64_t, 3> place{};
  for (std::size_t i = place.size(); i-- > 0;) {
    const std::int64_t length = inputs.convolution.out[spatial_dims[i]];
    place[i] = inputs.begin[i] + position % length * convolution.window.dims[i].stride;
    position /= length;
  }
  for (std::size_t i = 0; i < place.size(); ++i) {
    position = position * convolution.in[spatial_dims[i]] + place[i];
  }
  return position;
}

}  // namespace cnnplan::onednn
