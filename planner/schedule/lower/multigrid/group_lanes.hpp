// Gives lanes to the groups of a level that a rank has.
#pragma once

#include <cstddef>

#include "planner/schedule/lower/multigrid/chain_geometry.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

// While it lives, the groups of a level that this rank has are in lanes: Multigrid::concurrency of
// them, or fewer if there are fewer groups. Groups take the lanes in turns, and a group has one
// lane in every sweep. So a group waits for its own lane, or for the lane of a neighbour. The
// groups of one turn are a wave, whose memory is free for the next wave.
class GroupLanes {
 public:
  // Begins the lanes for the groups of `level`. Keeps references to the geometry and the writer.
  GroupLanes(const ChainGeometry& geometry, OperationWriter& writer, int level);
  ~GroupLanes();
  GroupLanes(const GroupLanes&) = delete;
  GroupLanes& operator=(const GroupLanes&) = delete;

  // Puts the operations that are added from now on into the lane of a group.
  void take(std::size_t group);

 private:
  bool is_here(std::size_t group) const;

  const ChainGeometry& geometry_;
  OperationWriter& writer_;
  int level_;
  int count_ = 1;
  std::size_t first_ = 0;  // the first group that is here
  int wave_ = -1;          // the wave that is under way
};

}  // namespace cnnplan
