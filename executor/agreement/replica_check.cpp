// Gathers one hash of each rank in a group, and hashes of single tensors only if those differ.
#include "executor/agreement/replica_check.hpp"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/agreement/equal_facts.hpp"
#include "executor/backend/element.hpp"
#include "executor/comm/program.hpp"
#include "executor/step/device_values.hpp"
#include "executor/step/slices.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

constexpr std::array<ParameterArena, 2> compared_arenas{ParameterArena::weights,
                                                        ParameterArena::momentum};

struct TensorHash {
  SlotIndex slot;
  ParameterArena arena = ParameterArena::weights;
  std::uint64_t hash = 0;
};

// Holds the tensors that the ranks of one group have in common, in the order of slots.
using HashesByGroup = std::map<RankGroup, std::vector<TensorHash>>;

std::uint64_t hash_of_tensor(const ParameterStore& store, ParameterArena arena, SlotIndex slot) {
  const std::int64_t bytes = store.elements(slot, slot) * bytes_of(store.element_of(arena));
  const auto* const address = static_cast<const std::byte*>(store.address(arena, slot));
  if (store.device().is_host()) return hash_of({address, static_cast<std::size_t>(bytes)});
  return hash_of(download(store.device(), address, bytes));
}

// Returns the groups in an order that is equal on the ranks of each group.
HashesByGroup hashes_of(const Replicas& replicas) {
  HashesByGroup hashes;
  const int rank = replicas.groups.world().rank();
  auto sums = replicas.schedule.gradient_ranges.begin();
  for (const SlotIndex slot : replicas.schedule.slots.indices()) {
    while (sums->last_slot < slot) ++sums;
    const Mesh& mesh = replicas.plan.layers[replicas.schedule.slots[slot].layer].mesh;
    const RankGroup group =
        replicas.with_repeated_work ? ranks_with_slice(mesh, rank) : sums->group;
    if (group.size() == 1) continue;
    for (const ParameterArena arena : compared_arenas) {
      hashes[group].push_back({slot, arena, hash_of_tensor(replicas.store, arena, slot)});
    }
  }
  return hashes;
}

// Halves of a hash are whole numbers that a double holds.
std::array<double, 2> halves(std::uint64_t hash) {
  return {static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffffU)};
}

bool all_equal(const std::vector<double>& gathered, std::size_t each) {
  for (std::size_t i = each; i < gathered.size(); ++i) {
    if (gathered[i] != gathered[i % each]) return false;
  }
  return true;
}

std::string name_of(const TensorHash& tensor, const Replicas& replicas) {
  const ParameterSlot& slot = replicas.schedule.slots[tensor.slot];
  const std::string what = tensor.arena == ParameterArena::momentum ? "the momentum of " : "";
  return what + "/" + replicas.plan.network.layer(slot.layer).name + "/" +
         std::string(to_text(slot.role));
}

// Says which ranks of the group have another hash of the tensor than its first rank.
std::string difference_text(const std::string& tensor,
                            const RankGroup& group,
                            const std::vector<bool>& differs) {
  std::vector<int> equal;
  std::vector<int> others;
  for (int i = 0; i < group.size(); ++i) (differs[i] ? others : equal).push_back(group[i]);
  return tensor + " on " + named_ranks(others) + " is not what it is on " + named_ranks(equal);
}

// Returns the first tensor that differs in the group, or nothing. It is collective over the group.
std::optional<std::string> difference_in(const RankGroup& group,
                                         const std::vector<TensorHash>& tensors,
                                         const Replicas& replicas) {
  std::uint64_t all = 0;
  for (const TensorHash& tensor : tensors)
    all = hash_of(std::as_bytes(std::span(&tensor.hash, 1)), all);
  const Communicator& ranks = replicas.groups.get(group.ranks());
  if (all_equal(ranks.all_gather(halves(all)), 2)) return std::nullopt;
  std::vector<double> own;
  for (const TensorHash& tensor : tensors) {
    const std::array<double, 2> parts = halves(tensor.hash);
    own.insert(own.end(), parts.begin(), parts.end());
  }
  const std::vector<double> gathered = ranks.all_gather(own);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::vector<bool> differs;
    bool any = false;
    for (std::size_t rank = 0; rank < gathered.size() / own.size(); ++rank) {
      const double* const other = gathered.data() + rank * own.size() + 2 * i;
      differs.push_back(other[0] != gathered[2 * i] || other[1] != gathered[2 * i + 1]);
      any = any || differs.back();
    }
    if (any) return difference_text(name_of(tensors[i], replicas), group, differs);
  }
  return std::nullopt;
}

}  // namespace

// Each lane takes every eighth word, so that the products of different lanes do not wait for each
// other. A step (hash ^ word) * odd maps different words to different hashes.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t seed) {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
  std::array<std::uint64_t, lanes> hashes{};
  for (std::size_t lane = 0; lane < lanes; ++lane) hashes[lane] = seed + (lane + 1) * odd;
  const auto add = [&hashes](const std::byte* block) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, block + lane * word_bytes, word_bytes);
      hashes[lane] = (hashes[lane] ^ word) * odd;
      hashes[lane] ^= hashes[lane] >> 29;
    }
  };
  constexpr std::size_t block_bytes = lanes * word_bytes;
  const std::size_t whole = bytes.size() / block_bytes * block_bytes;
  for (std::size_t i = 0; i < whole; i += block_bytes) add(bytes.data() + i);
  std::array<std::byte, block_bytes> rest{};
  if (whole < bytes.size()) std::memcpy(rest.data(), bytes.data() + whole, bytes.size() - whole);
  add(rest.data());
  std::uint64_t hash = bytes.size();
  for (const std::uint64_t lane : hashes) {
    hash = (hash ^ lane) * odd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool give_equal_bits(Backend& backend, bool deterministic, const Communicator& world) {
  const bool repeats = backend.device().is_host() || deterministic;
  const std::string device = backend.fingerprint().device;
  const std::array<double, 2> own = halves(hash_of(std::as_bytes(std::span(device))));
  return all_equal(world.all_gather(own), own.size()) && world.maximum(repeats ? 0.0 : 1.0) == 0.0;
}

void require_equal_replicas(const Replicas& replicas, std::int64_t steps) {
  if (replicas.schedule.sharded_update) return;
  std::optional<std::string> first;
  const HashesByGroup hashes = hashes_of(replicas);
  for (const auto& [group, tensors] : hashes) {
    std::optional<std::string> found = difference_in(group, tensors, replicas);
    if (!first) first = std::move(found);
  }
  on_every_rank(replicas.groups.world(), [&] {
    if (!first) return;
    throw Error(ExitCode::wrong_result,
                "after " + std::to_string(steps) + " steps, " + *first +
                    ", though these ranks hold the same parameters");
  });
}

}  // namespace cnnplan
