// Computes dropout: both phases multiply by one mask / (1 - rate).
#include "executor/backend/dropout_mask.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {

std::unique_ptr<Kernel> make_dropout(const KernelSpec& spec, const KernelConstants& constants) {
  return make_loops(
      spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState& state) {
        const TensorView& read = operands[block_read(spec.phase)];
        const auto in = tensor<const T>(read, spec.in);
        const auto out = tensor<T>(operands[block_written(spec.phase)], spec.out);
        const Box& box = read.box;
        const std::uint64_t key = random_key({.seed = state.seed,
                                              .use = RandomUse::dropout,
                                              .stream = constants.random_stream,
                                              .step = static_cast<std::uint64_t>(state.step)});
        const double rate = constants.parameter;
        const T scale = stored<T>(1.0 / (1.0 - rate));
        for_each_index(spec.out, [&](const Index& i) {
          const std::uint64_t position = dropout_key(key,
                                                     {box[Dim::n].begin + i[0],
                                                      box[Dim::d].begin + i[2],
                                                      box[Dim::h].begin + i[3],
                                                      box[Dim::w].begin + i[4]});
          const bool kept = dropout_keeps(position, box[Dim::c].begin + i[1], rate);
          const T dropped = kept ? in[i] * scale : T{0};
          out[i] = state.training ? dropped : in[i];
        });
      });
}

}  // namespace cnnplan::reference
