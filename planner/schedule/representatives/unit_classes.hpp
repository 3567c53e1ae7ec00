// Units that are lowered alike: deep networks repeat a few blocks many times.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/schedule/blocks/fused_units.hpp"

namespace cnnplan {

// Two units are in one class when they and what lies within `neighbourhood` units around them agree
// in everything that a lowering looks at, but for names: layers, shapes, splits, fusion, whose
// gradients are wanted. Ranks then run the same operations for both.
class UnitClasses {
 public:
  static constexpr int neighbourhood = 3;

  // Keeps no reference.
  explicit UnitClasses(const FusedUnits& fused);

  // By unit, the first of its class: it stands for all.
  const std::vector<std::size_t>& first() const { return first_; }
  // By unit, whether it is the first of a class with a unit that is wanted, or lies so near to one
  // that the first's lowering may ask for it. @pre `wanted` is by unit
  std::vector<bool> around_firsts(const std::vector<bool>& wanted) const;

 private:
  std::vector<std::vector<std::size_t>> inputs_;   // by unit, units
  std::vector<std::vector<std::size_t>> readers_;  // likewise
  std::vector<std::size_t> first_;
};

}  // namespace cnnplan
