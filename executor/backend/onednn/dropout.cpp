// Computes dropout: both phases multiply by one mask / (1 - rate), which each of them draws anew.
#include <algorithm>

#include "executor/backend/dropout_mask.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

struct Mask {
  std::uint64_t position_key = 0;
  std::int64_t first_channel = 0;
  double rate = 0.0;
};

template <typename T>
CNNPLAN_INLINE void apply(const Mask& mask, const T* in, T* out, std::int64_t count) {
  const auto scale = stored<float>(1.0 / (1.0 - mask.rate));
  CNNPLAN_INDEPENDENT
  for (std::int64_t c = 0; c < count; ++c) {
    const float kept = in[c] * scale;
    out[c] = T(dropout_keeps(mask.position_key, mask.first_channel + c, mask.rate) ? kept : 0.0F);
  }
}

std::int64_t offset(const TensorView& view, const std::array<std::int64_t, 4>& position) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const Dim dim = position_dims[i];
    offset += (position[i] - view.box[dim].begin) * view.stride(dim);
  }
  return offset;
}

// Calls f(global n, d, h, w) for every position of `box`.
template <typename F>
void for_each_position_in(const Box& box, F f) {
  for (std::int64_t n = box[Dim::n].begin; n < box[Dim::n].end; ++n) {
    for (std::int64_t d = box[Dim::d].begin; d < box[Dim::d].end; ++d) {
      for (std::int64_t h = box[Dim::h].begin; h < box[Dim::h].end; ++h) {
        for (std::int64_t w = box[Dim::w].begin; w < box[Dim::w].end; ++w) {
          f(std::array<std::int64_t, 4>{n, d, h, w});
        }
      }
    }
  }
}

template <typename T>
void drop(const TensorView& in, const TensorView& out, double rate, std::uint64_t key) {
  const Range channels = in.box[Dim::c];
  for_each_position_in(in.box, [&](const std::array<std::int64_t, 4>& position) {
    vectorized<apply<T>>(Mask{.position_key = dropout_key(key, position),
                              .first_channel = channels.begin,
                              .rate = rate},
                         in.as<const T>() + offset(in, position),
                         out.as<T>() + offset(out, position),
                         channels.size());
  });
}

template <typename T>
void run(const KernelSpec& spec,
         const KernelConstants& constants,
         const OperandsByRole& operands,
         const StepState& state) {
  const TensorView& in = operands[block_read(spec.phase)];
  const TensorView& out = operands[block_written(spec.phase)];
  if (!state.training) {
    for_each_run<T, T>(spec.out, {in, out}, [&](std::int64_t positions, const T* from, T* to) {
      if (from != to) std::copy_n(from, positions * spec.out[Dim::c], to);
    });
    return;
  }
  require_shape(in, spec.in);
  require_shape(out, spec.out);
  if (is_empty(in.box)) return;
  drop<T>(in,
          out,
          constants.parameter,
          random_key({.seed = state.seed,
                      .use = RandomUse::dropout,
                      .stream = constants.random_stream,
                      .step = static_cast<std::uint64_t>(state.step)}));
}

}  // namespace

std::unique_ptr<Kernel> make_dropout(const Library&,
                                     const KernelSpec& spec,
                                     const KernelConstants& constants) {
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState& state) {
          run<T>(spec, constants, operands, state);
        });
  });
}

}  // namespace cnnplan::onednn
