// Checks the chains of a plan, block by block.
#include "planner/plan/multigrid_check.hpp"

#include <algorithm>

#include "planner/base/error.hpp"
#include "planner/network/residual_chain.hpp"

namespace cnnplan {
namespace {

class ChainCheck {
 public:
  ChainCheck(const Plan& plan, const std::string& file, std::size_t index)
      : plan_(plan),
        file_(file),
        pointer_("/multigrid/" + std::to_string(index)),
        chain_(plan.multigrid[index]) {}

  void check() const {
    const ResidualChain blocks = part_of_chain(plan_.network, chain_.first, chain_.last);
    if (blocks.empty()) {
      refuse(pointer_ + "/last",
             '"' + name(chain_.last) + '"',
             "an add that ends a chain of residual blocks, one behind the other, which begins "
             "with \"first\" (\"" +
                 name(chain_.first) + "\")");
    }
    check_levels(static_cast<int>(blocks.size()));
    for (LayerIndex layer = chain_.first; layer <= chain_.last; ++layer) check_layer(layer);
    for (const ResidualBlock& block : blocks) {
      check_stage(block.sum, block.weights);
      check_stage(block.transform, block.weights);
    }
  }

 private:
  void check_levels(int layers) const {
    const int most = most_levels(layers, chain_.coarsening);
    if (chain_.levels <= most) return;
    refuse(pointer_ + "/levels",
           std::to_string(chain_.levels),
           "at most " + std::to_string(most) + ", on which " + std::to_string(layers) +
               " layers, coarsened by " + std::to_string(chain_.coarsening) + ", are one");
  }
  void check_layer(LayerIndex layer) const {
    const Mesh& mesh = own(layer).mesh;
    const bool is_allowed =
        mesh == own(chain_.first).mesh && mesh.size(Axis::n) * mesh.size(Axis::l) == plan_.ranks;
    if (!is_allowed) {
      refuse(place(layer) + "/mesh",
             '"' + to_text(mesh) + '"',
             "axes n l only, and one mesh for all layers of a chain that multigrid runs");
    }
    if (own(layer).recompute) refuse(place(layer) + "/recompute", "true", "false in this chain");
    if (own(layer).halo != HaloMethod::exchange_first) {
      refuse(place(layer) + "/halo", "interior_strips", "exchange_first in this chain");
    }
    if (own(layer).gather != GatherMethod::direct) {
      refuse(place(layer) + "/gather",
             std::string(to_text(own(layer).gather)),
             "direct in this chain");
    }
    if (layer > chain_.first && own(layer).stage < own(layer - 1).stage) {
      refuse_stage(layer, "a stage not before that of the layer in front");
    }
  }
  void check_stage(LayerIndex layer, LayerIndex first) const {
    if (own(layer).stage == own(first).stage) return;
    refuse_stage(layer, std::to_string(own(first).stage) + ", that of all layers of the block");
  }
  [[noreturn]] void refuse_stage(LayerIndex layer, const std::string& allowed) const {
    refuse(place(layer) + "/stage", std::to_string(own(layer).stage), allowed);
  }
  [[noreturn]] void refuse(const std::string& pointer,
                           const std::string& value,
                           const std::string& allowed) const {
    throw InputError({.file = file_, .pointer = pointer, .value = value, .allowed = allowed});
  }

  const LayerPlan& own(LayerIndex layer) const { return plan_.layers[layer]; }
  const std::string& name(LayerIndex layer) const { return plan_.network.layer(layer).name; }
  static std::string place(LayerIndex layer) { return "/layers/" + std::to_string(layer); }

  const Plan& plan_;
  const std::string& file_;
  std::string pointer_;
  const Multigrid& chain_;
};

}  // namespace

void check_multigrid(const Plan& plan, const std::string& file) {
  for (std::size_t i = 0; i < plan.multigrid.size(); ++i) {
    ChainCheck(plan, file, i).check();
    if (i == 0 || plan.multigrid[i].first > plan.multigrid[i - 1].last) continue;
    throw InputError({.file = file,
                      .pointer = "/multigrid/" + std::to_string(i) + "/first",
                      .value = '"' + plan.network.layer(plan.multigrid[i].first).name + '"',
                      .allowed = "a layer behind the chain before"});
  }
}

}  // namespace cnnplan
