// Sums the terms of one output, one error signal or one gradient of a convolution.
#include "executor/verify/convolution_sums.hpp"

namespace cnnplan {
namespace {

using Index = ConvolutionSums::Index;

std::int64_t place_of(const Shape& shape, const Index& at) {
  const auto [n, c, d, h, w] = at;
  return (((n * shape[Dim::d] + d) * shape[Dim::h] + h) * shape[Dim::w] + w) * shape[Dim::c] + c;
}

std::array<std::int64_t, 3> kernel_extents(const Window& window) {
  return {window.dims[0].kernel, window.dims[1].kernel, window.dims[2].kernel};
}

std::int64_t tap_count(const Window& window) {
  const auto [d, h, w] = kernel_extents(window);
  return d * h * w;
}

// Returns the offsets (d, h, w) of a tap.
std::array<std::int64_t, 3> tap_at(const Window& window, std::int64_t tap) {
  const auto [kd, kh, kw] = kernel_extents(window);
  return {tap / (kh * kw), tap / kw % kh, tap % kw};
}

// Finds the input that an output meets at a tap. Returns false where it is padding.
bool input_of(const KernelSpec& spec, const Index& out, std::int64_t tap, Index& in) {
  const auto offsets = tap_at(spec.window, tap);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const WindowDim& dim = spec.window.dims[i];
    in[i + 2] = out[i + 2] * dim.stride - dim.padding_begin + offsets[i] * dim.dilation;
    if (in[i + 2] < 0 || in[i + 2] >= spec.in[all_dims[i + 2]]) return false;
  }
  in[0] = out[0];
  return true;
}

// Finds the output that meets an input at a tap. Returns false where there is none.
bool output_of(const KernelSpec& spec, const Index& in, std::int64_t tap, Index& out) {
  const auto offsets = tap_at(spec.window, tap);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const WindowDim& dim = spec.window.dims[i];
    const std::int64_t begin = in[i + 2] + dim.padding_begin - offsets[i] * dim.dilation;
    if (begin < 0 || begin % dim.stride != 0) return false;
    out[i + 2] = begin / dim.stride;
    if (out[i + 2] >= spec.out[all_dims[i + 2]]) return false;
  }
  out[0] = in[0];
  return true;
}

// Calls f(index) for all positions of a block, with channel 0.
template <typename F>
void for_each_position_of(const Shape& shape, const F& f) {
  for (std::int64_t n = 0; n < shape[Dim::n]; ++n) {
    for (std::int64_t d = 0; d < shape[Dim::d]; ++d) {
      for (std::int64_t h = 0; h < shape[Dim::h]; ++h) {
        for (std::int64_t w = 0; w < shape[Dim::w]; ++w) f(Index{n, 0, d, h, w});
      }
    }
  }
}

}  // namespace

TermSum ConvolutionSums::y(const Index& at) const {
  const std::int64_t channels = spec_.in[Dim::c] / spec_.groups;
  const std::int64_t filters = spec_.out[Dim::c] / spec_.groups;
  const std::int64_t taps = tap_count(spec_.window);
  TermSum sum;
  if (!data_.bias.empty()) sum.add(data_.bias[at[1]]);
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    Index in{};
    if (!input_of(spec_, at, tap, in)) continue;
    in[1] = at[1] / filters * channels;
    const double* x = &data_.x[place_of(spec_.in, in)];
    const double* weight = &data_.weight[at[1] * channels * taps + tap];
    for (std::int64_t c = 0; c < channels; ++c) sum.add(x[c] * weight[c * taps]);
  }
  return sum;
}

TermSum ConvolutionSums::dx(const Index& at) const {
  const std::int64_t channels = spec_.in[Dim::c] / spec_.groups;
  const std::int64_t filters = spec_.out[Dim::c] / spec_.groups;
  const std::int64_t taps = tap_count(spec_.window);
  TermSum sum;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    Index out{};
    if (!output_of(spec_, at, tap, out)) continue;
    const std::int64_t first = at[1] / channels * filters;
    out[1] = first;
    const double* dy = &data_.dy[place_of(spec_.out, out)];
    const double* weight = &data_.weight[(first * channels + at[1] % channels) * taps + tap];
    for (std::int64_t f = 0; f < filters; ++f) sum.add(dy[f] * weight[f * channels * taps]);
  }
  return sum;
}

TermSum ConvolutionSums::dweight(std::int64_t at) const {
  const std::int64_t channels = spec_.in[Dim::c] / spec_.groups;
  const std::int64_t filters = spec_.out[Dim::c] / spec_.groups;
  const std::int64_t taps = tap_count(spec_.window);
  const std::int64_t filter = at / taps / channels;
  const std::int64_t channel = filter / filters * channels + at / taps % channels;
  TermSum sum;
  for_each_position_of(spec_.out, [&](Index out) {
    Index in{};
    if (!input_of(spec_, out, at % taps, in)) return;
    out[1] = filter;
    in[1] = channel;
    sum.add(data_.x[place_of(spec_.in, in)] * data_.dy[place_of(spec_.out, out)]);
  });
  return sum;
}

TermSum ConvolutionSums::dbias(std::int64_t filter) const {
  TermSum sum;
  for_each_position_of(spec_.out, [&](Index out) {
    out[1] = filter;
    sum.add(data_.dy[place_of(spec_.out, out)]);
  });
  return sum;
}

}  // namespace cnnplan
