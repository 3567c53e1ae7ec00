// Lists estimated kernels by their texts, and counts them by family.
#include "planner/predict/estimated_kernels.hpp"

#include <cstdint>

namespace cnnplan {

void EstimatedKernels::add(const KernelSpec& spec) {
  families_.emplace(to_text(spec), family_of(spec));
}

void EstimatedKernels::list_in(Prediction& prediction) const {
  prediction.estimated_kernels.clear();
  std::map<KernelFamily, std::int64_t> counts;
  for (const auto& [text, family] : families_) {
    prediction.estimated_kernels.push_back(text);
    ++counts[family];
  }
  prediction.estimated_families.clear();
  for (const auto& [family, kernels] : counts) {
    prediction.estimated_families.push_back({.family = family, .kernels = kernels});
  }
}

}  // namespace cnnplan
