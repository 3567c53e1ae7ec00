// Computes coordinates in meshes, and writes and parses the text of a mesh.
#include "planner/tensor/mesh.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::string_view axis_chars = "ncdhwrl";
constexpr std::string_view allowed_text =
    "\"1\", or axes of n c d h w r l with sizes, each at most once, such as \"n2h4\"";

std::string text_of(std::span<const MeshAxis> axes) {
  std::string text;
  for (const MeshAxis& axis : axes) text += to_char(axis.axis) + std::to_string(axis.size);
  return text;
}

[[noreturn]] void refuse(std::string_view text) {
  throw InputError({.file = "",
                    .pointer = "",
                    .value = "mesh \"" + std::string(text) + "\"",
                    .allowed = std::string(allowed_text)});
}

}  // namespace

char to_char(Axis axis) {
  return axis_chars[static_cast<std::size_t>(axis)];
}

Mesh::Mesh(const std::vector<MeshAxis>& axes) {
  std::int64_t product = 1;
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    const bool again = std::any_of(
        axes.begin(), axis, [&](const MeshAxis& before) { return before.axis == axis->axis; });
    if (axis->size < 1 || again) refuse(text_of(axes));
    product = checked_multiply(product, axis->size);
    if (product > std::numeric_limits<int>::max()) refuse(text_of(axes));
    if (axis->size > 1) axes_[axis_count_++] = *axis;
  }
  rank_count_ = static_cast<int>(product);
}

int Mesh::size(Axis axis) const {
  for (const MeshAxis& candidate : axes()) {
    if (candidate.axis == axis) return candidate.size;
  }
  return 1;
}

int Mesh::coordinate(int rank, Axis axis) const {
  if (rank < 0 || rank >= rank_count_) throw std::logic_error("rank outside the mesh");
  const int distance = stride(axis);
  return distance == 0 ? 0 : rank / distance % size(axis);
}

MeshCoordinates Mesh::coordinates(int rank) const {
  if (rank < 0 || rank >= rank_count_) throw std::logic_error("rank outside the mesh");
  MeshCoordinates coordinates{};
  for (std::size_t i = axis_count_; i-- > 0;) {
    coordinates[static_cast<std::size_t>(axes_[i].axis)] = rank % axes_[i].size;
    rank /= axes_[i].size;
  }
  return coordinates;
}

int Mesh::stride(Axis axis) const {
  int stride = 1;
  for (std::size_t i = axis_count_; i-- > 0;) {
    if (axes_[i].axis == axis) return stride;
    stride *= axes_[i].size;
  }
  return 0;
}

std::string to_text(const Mesh& mesh) {
  return mesh.axes().empty() ? "1" : text_of(mesh.axes());
}

Mesh parse_mesh(std::string_view text) {
  if (text == "1") return Mesh();
  std::vector<MeshAxis> axes;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t axis = axis_chars.find(text[position++]);
    const std::size_t digits = position;
    while (position < text.size() && text[position] >= '0' && text[position] <= '9') ++position;
    if (axis == std::string_view::npos || position == digits || position - digits > 9) refuse(text);
    axes.push_back(
        {static_cast<Axis>(axis), std::stoi(std::string(text.substr(digits, position - digits)))});
  }
  if (axes.empty()) refuse(text);
  return Mesh(axes);
}

}  // namespace cnnplan
