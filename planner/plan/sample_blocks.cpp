// Refuses plans that break the rules of sample blocks.
#include "planner/plan/sample_blocks.hpp"

#include <bit>

#include "planner/base/error.hpp"
#include "planner/network/enumerators.hpp"

namespace cnnplan {
namespace {

class BlockCheck {
 public:
  BlockCheck(const Plan& plan, const std::string& file) : plan_(plan), file_(file) {}

  void check() const {
    check_count();
    check_allreduce("/gradient_allreduce", plan_.gradient_allreduce);
    const auto& small = plan_.small_gradient_allreduces;
    for (std::size_t i = 0; i < small.size(); ++i) {
      check_allreduce(sized_pointer(i) + "/algorithm", small[i].algorithm);
    }
    check_allreduce("/statistics_allreduce", plan_.statistics_allreduce);
    for (const LayerIndex layer : plan_.network.layers().indices()) check_layer(layer);
    if (!plan_.multigrid.empty()) refuse("/multigrid", "a chain", "none" + with_blocks());
  }

 private:
  void check_count() const {
    const int blocks = plan_.sample_blocks;
    const bool is_allowed = std::has_single_bit(static_cast<unsigned>(blocks)) &&
                            blocks % plan_.ranks == 0 && plan_.batch % blocks == 0;
    if (is_allowed) return;
    refuse("/sample_blocks",
           std::to_string(blocks),
           "1, or a power of two that divides the batch of " + std::to_string(plan_.batch) +
               " and that the " + std::to_string(plan_.ranks) + " ranks divide");
  }
  void check_allreduce(const std::string& pointer, AllreduceAlgorithm algorithm) const {
    if (plan_.ranks == 1 || adds_as_a_tree(algorithm)) return;
    refuse(pointer,
           '"' + std::string(to_text(algorithm)) + '"',
           "\"recursive_doubling\" or \"rabenseifner\"" + with_blocks());
  }
  void check_layer(LayerIndex index) const {
    const LayerPlan& layer = plan_.layers[index];
    const std::string place = "/layers/" + std::to_string(index);
    const Mesh mesh = sample_mesh(plan_.ranks);
    if (layer.mesh != mesh) {
      refuse(place + "/mesh",
             '"' + to_text(layer.mesh) + '"',
             '"' + to_text(mesh) + '"' + with_blocks());
    }
    const bool normalises =
        std::holds_alternative<BatchNorm>(plan_.network.layer(index).parameters);
    if (normalises && layer.statistics != BatchNormStatistics::global) {
      refuse(place + "/statistics",
             '"' + std::string(to_text(layer.statistics)) + '"',
             "\"global\"" + with_blocks());
    }
  }
  static std::string sized_pointer(std::size_t index) {
    return "/small_gradient_allreduces/" + std::to_string(index);
  }
  static std::string with_blocks() { return ", with sample_blocks"; }
  [[noreturn]] void refuse(const std::string& pointer,
                           const std::string& value,
                           const std::string& allowed) const {
    throw InputError({.file = file_, .pointer = pointer, .value = value, .allowed = allowed});
  }

  const Plan& plan_;
  const std::string& file_;
};

}  // namespace

Mesh sample_mesh(int ranks) {
  return Mesh({{Axis::n, ranks}});
}

void check_sample_blocks(const Plan& plan, const std::string& file) {
  if (plan.sample_blocks > 1) BlockCheck(plan, file).check();
}

}  // namespace cnnplan
