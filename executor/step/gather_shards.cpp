// Gathers ranges of slots from all ranks between steps.
#include "executor/step/gather_shards.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/comm/device_collective.hpp"

namespace cnnplan {
namespace {

// Calls gather(group, range) for ranges that several ranks share.
template <typename Gather>
void for_each_range(const Sharded& sharded, const Gather& gather) {
  if (!sharded.schedule.sharded_update) return;
  for (const GradientRange& range : sharded.schedule.gradient_ranges) {
    if (range.group.size() > 1) gather(sharded.groups.get(range.group.ranks()), range);
  }
}

void gather_arena(const Sharded& sharded, ParameterArena arena) {
  const ParameterStore& store = sharded.store;
  for_each_range(sharded, [&](const Communicator& group, const GradientRange& range) {
    DeviceCollective(group,
                     {.kind = CollectiveKind::allgather,
                      .device = &store.device(),
                      .data = store.address(arena, range.first_slot),
                      .elements = store.elements(range.first_slot, range.last_slot),
                      .element = store.element_of(arena)})
        .run();
  });
  store.device().synchronize();
}

}  // namespace

void gather_weights(const Sharded& sharded) {
  gather_arena(sharded, ParameterArena::weights);
  if (!has_weight_copies(sharded.store.precision())) return;
  gather_arena(sharded, ParameterArena::weight_copies);
}

void gather_gradients(const Sharded& sharded) {
  gather_arena(sharded, ParameterArena::gradients);
}

WholeMomentum::WholeMomentum(const Sharded& sharded) : store_(sharded.store) {
  if (!sharded.schedule.sharded_update) return;
  std::vector<std::byte> momentum = store_.spread_momentum();
  with_type_of(store_.element_of(ParameterArena::momentum), [&]<typename T>(T) {
    const std::span<T> all(reinterpret_cast<T*>(momentum.data()), momentum.size() / sizeof(T));
    for_each_range(sharded, [&](const Communicator& group, const GradientRange& range) {
      const std::size_t begin = store_.offset(range.first_slot);
      const std::size_t count = store_.elements(range.first_slot, range.last_slot);
      if constexpr (std::is_floating_point_v<T>) {
        group.allgather(all.subspan(begin, count), AllreduceAlgorithm::ring);
      }
    });
  });
  store_.set_whole_momentum(std::move(momentum));
}

}  // namespace cnnplan
