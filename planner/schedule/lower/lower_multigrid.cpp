// Lowers residual chains by multigrid: the kernels and buffers of a pass in each direction.
#include <algorithm>
#include <utility>

#include "planner/schedule/lower/chain_pass.hpp"

namespace cnnplan {

// States are the tensors of the network, derivatives the outputs of its convolutions.
class Lowering::ForwardPass final : public Lowering::ChainPass {
 public:
  ForwardPass(Lowering& lowering,
              const Multigrid& setting,
              const ResidualChain& chain,
              const LayerHierarchy& hierarchy)
      : ChainPass(lowering, setting, chain, hierarchy), received_(chain.size() + 1) {
    for (int i = 0; i < block_count(); ++i) {
      saved(i).first_slot = lowering.first_slot_[static_cast<std::size_t>(transform(i).head)];
      saved(i).output = lowering.add_output(transform(i));
      lowering.add_output(
          sum(i), is_kept_where_layer_is(i + 1) ? BufferRole::state : BufferRole::activation);
    }
  }

 private:
  Saved& saved(int block) {
    return lowering().saved_[lowering().decomposition_.index_of(transform(block))];
  }
  Operand derivative_at(int block) override {
    const Unit& unit = transform(block);
    lowering().convolve(unit, named(unit.head), state(block), saved(block).output);
    return saved(block).output;
  }
  double scale_of(int) const override { return 1.0; }
  Operand computed(int point, int stage) override {
    return stage == stage_of(point - 1) ? tensor(point) : new_block("coarse_state");
  }
  Operand received(int point) override {
    if (point == block_count()) return tensor(point);
    Operand& known = received_[static_cast<std::size_t>(point)];
    if (known.buffer < 0) {
      known = new_block(lowering().name(transform(point)) + "/input",
                        is_kept(point) ? BufferRole::state : role());
    }
    return known;
  }
  void finish(int block) override { saved(block).inputs = {state(block)}; }
  bool evaluates_all() const override { return lowering().mode_ != Mode::inference; }
  KernelPhase phase() const override { return KernelPhase::forward; }
  BufferRole role() const override { return BufferRole::activation; }

  // Returns the output of the block before a point.
  const Operand& tensor(int point) const {
    return lowering().tensors_[static_cast<std::size_t>(block(point - 1).sum)];
  }

  std::vector<Operand> received_;  // by point, where it was sent
};

// The adjoint pass. Its derivatives include the layers' own steps h, and weight gradients follow
// from the last error signals.
class Lowering::BackwardPass final : public Lowering::ChainPass {
 public:
  BackwardPass(Lowering& lowering,
               const Multigrid& setting,
               const ResidualChain& chain,
               const LayerHierarchy& hierarchy)
      : ChainPass(lowering, setting, {chain.rbegin(), chain.rend()}, hierarchy.reversed()),
        transform_dy_(chain.size()),
        kept_(chain.size() + 1) {}

 private:
  Operand derivative_at(int index) override {
    const Unit& add = sum(index);
    const Unit& unit = transform(index);
    Operand dy = state(index);
    if (block(index).step != 1.0) {
      dy = lowering().scaled(add, dy, named(add.head, "backward_scale"));
    }
    if (unit.relu) dy = lowering().backward_relu(unit, dy, named(unit.last));
    transform_dy_[static_cast<std::size_t>(index)] = dy;
    return lowering().convolve_back(unit, named(unit.head), dy);
  }
  double scale_of(int index) const override { return 1.0 / block(index).step; }
  Operand computed(int point, int) override { return received(point); }
  Operand received(int point) override {
    const std::string name = lowering().name(sum(point - 1)) + "/dx";
    if (!is_kept(point)) return new_block(name);
    Operand& kept = kept_[static_cast<std::size_t>(point)];
    if (kept.buffer < 0) kept = new_block(name, BufferRole::state);
    return kept;
  }
  void finish(int index) override {
    const Unit& unit = transform(index);
    if (!is_here(index)) {
      // Other ranks may have to send what they compute again.
      lowering().input_again(unit, 0);
      return lowering().add_to_bucket(unit);
    }
    const Saved& saved = lowering().saved_of(unit);
    lowering().backward_filter(unit, saved, transform_dy_[static_cast<std::size_t>(index)]);
    lowering().add_to_bucket(unit);
  }
  bool evaluates_all() const override { return true; }
  KernelPhase phase() const override { return KernelPhase::backward_data; }
  BufferRole role() const override { return BufferRole::error_signal; }

  std::vector<Operand> transform_dy_;  // by block: error signal of the convolution's output
  std::vector<Operand> kept_;          // by point that is kept, where it was used
};

const Multigrid* Lowering::chain_of(const Unit& unit) const {
  const auto found =
      std::find_if(plan_.multigrid.begin(), plan_.multigrid.end(), [&](const Multigrid& chain) {
        return chain.first <= unit.head && unit.head <= chain.last;
      });
  return found == plan_.multigrid.end() ? nullptr : &*found;
}

void Lowering::forward_chain(const Multigrid& chain) {
  const ResidualChain blocks = part_of_chain(network(), chain.first, chain.last);
  const LayerHierarchy hierarchy(static_cast<int>(blocks.size()), chain.coarsening, chain.levels);
  const Operand first = fetch(decomposition_.unit_of(chain.first), 0);
  ForwardPass(*this, chain, blocks, hierarchy).run(first);
}

void Lowering::backward_chain(const Multigrid& chain) {
  const ResidualChain blocks = part_of_chain(network(), chain.first, chain.last);
  const LayerHierarchy hierarchy(static_cast<int>(blocks.size()), chain.coarsening, chain.levels);
  const Operand first = gradient_of(decomposition_.unit_of(chain.last));
  const Operand last = BackwardPass(*this, chain, blocks, hierarchy).run(first);
  const Unit& unit = decomposition_.unit_of(blocks.front().sum);
  if (!decomposition_.requires_gradient(unit.inputs[0])) return;
  contribute(unit, 0, {.operand = last});
}

}  // namespace cnnplan
