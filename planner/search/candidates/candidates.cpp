// Factorises the number of ranks over the axes.
#include "planner/search/candidates/candidates.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace cnnplan {
namespace {

constexpr std::array<Axis, 5> tensor_axes{Axis::n, Axis::c, Axis::d, Axis::h, Axis::w};

std::vector<Axis> in_order(std::span<const Axis> axes) {
  std::vector<Axis> ordered;
  for (Axis axis : tensor_axes) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) ordered.push_back(axis);
  }
  return ordered;
}

bool fits(const std::vector<MeshAxis>& axes, const Shape& output) {
  return std::all_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) {
    return axis.size <= output.extents[static_cast<std::size_t>(axis.axis)];
  });
}

// Sorts all factorisations of `rest` over `axes`, appended to `chosen`, into fitting and not.
void enumerate(std::span<const Axis> axes,
               int rest,
               const Shape& output,
               std::vector<MeshAxis>& chosen,
               MeshCandidates& found) {
  if (axes.empty()) {
    if (rest != 1) return;
    if (fits(chosen, output)) {
      found.meshes.emplace_back(chosen);
    } else {
      ++found.pruned;
    }
    return;
  }
  for (int size : divisors(rest)) {
    chosen.push_back({axes.front(), size});
    enumerate(axes.subspan(1), rest / size, output, chosen, found);
    chosen.pop_back();
  }
}

MeshCandidates split_over(std::span<const Axis> axes, int ranks, const Shape& output) {
  MeshCandidates found;
  std::vector<MeshAxis> chosen;
  enumerate(axes, ranks, output, chosen, found);
  return found;
}

Mesh with_replicas(const Mesh& mesh, int replicas) {
  std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
  axes.push_back({Axis::r, replicas});
  return Mesh(axes);
}

}  // namespace

std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor != 0) continue;
    found.push_back(divisor);
    if (number / divisor != divisor) found.push_back(number / divisor);
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

MeshCandidates enumerate_meshes(const Shape& output, int ranks, std::span<const Axis> axes) {
  if (ranks < 1) throw std::logic_error("a mesh needs at least one rank");
  const std::vector<Axis> ordered = in_order(axes);
  std::int64_t pruned = 0;
  for (int replicas = 1; replicas < ranks; ++replicas) {
    if (ranks % replicas != 0) continue;
    MeshCandidates found = split_over(ordered, ranks / replicas, output);
    pruned += found.pruned;
    if (found.meshes.empty()) continue;
    for (Mesh& mesh : found.meshes) mesh = with_replicas(mesh, replicas);
    return {.meshes = std::move(found.meshes), .pruned = pruned};
  }
  return {.meshes = {with_replicas(Mesh(), ranks)}, .pruned = pruned};
}

}  // namespace cnnplan
