// Groups units that are lowered alike, because deep networks repeat a few blocks many times.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/schedule/blocks/fused_units.hpp"

namespace cnnplan {

// Two units are in one class when they agree in everything that a lowering looks at except names:
// layers, shapes, splits, fusion and wanted gradients. All that lies within `neighbourhood` units
// around them must agree, too. Ranks then run the same operations for both units.
class UnitClasses {
 public:
  static constexpr int neighbourhood = 3;

  // Keeps no reference.
  explicit UnitClasses(const FusedUnits& fused);

  // Returns for each unit the first unit of its class, which represents the others.
  const IndexedVector<UnitIndex, UnitIndex>& representatives() const { return representatives_; }
  // Returns whether each unit has to be lowered where some units are wanted. These are the
  // representatives of the wanted units, and the units that a lowering of the representatives may
  // look at.
  IndexedVector<UnitIndex, bool> around_representatives(
      const IndexedVector<UnitIndex, bool>& wanted) const;

 private:
  IndexedVector<UnitIndex, std::vector<UnitIndex>> inputs_;
  IndexedVector<UnitIndex, std::vector<UnitIndex>> readers_;
  IndexedVector<UnitIndex, UnitIndex> representatives_;
};

}  // namespace cnnplan
