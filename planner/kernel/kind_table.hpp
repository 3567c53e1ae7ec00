// Holds a table with one row for each kind of kernel.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>

#include "planner/kernel/kernel_kind.hpp"

namespace cnnplan {

// Finds the row of a kind. A row has a member `kind`. A table that lacks a kind does not compile.
template <typename Row>
class KindTable {
 public:
  using Rows = std::array<Row, Enumerators<KernelKind>::all.size()>;

  // @pre the rows stand in the order of the enumerators
  explicit consteval KindTable(const Rows& rows) : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].kind != Enumerators<KernelKind>::all[i]) {
        throw std::logic_error("a kind of kernel has no row, or a row is out of order");
      }
    }
  }

  // @throws std::out_of_range for a kind that Enumerators<KernelKind> does not list
  constexpr const Row& operator[](KernelKind kind) const {
    return rows_.at(static_cast<std::size_t>(kind));
  }

 private:
  Rows rows_;
};

}  // namespace cnnplan
