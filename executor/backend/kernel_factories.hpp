// Chooses the function that makes a kernel by the kernel's kind.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>

#include "executor/backend/backend.hpp"
#include "executor/backend/element_wise_functions.hpp"
#include "planner/kernel/kind_table.hpp"

namespace cnnplan {

// A function of this type makes the kernels of one kind. `Context` is what a backend passes to all
// of its functions, such as its library. It throws as Backend::make_kernel().
template <typename... Context>
using KernelFactory = std::unique_ptr<Kernel>(Context... context,
                                              const KernelSpec& spec,
                                              const KernelConstants& constants);

// Assigns to a kind of kernel the function that makes its kernels.
template <typename... Context>
struct KernelFactoryRow {
  KernelKind kind = KernelKind::convolution;
  KernelFactory<Context...>* make = nullptr;
};

// Every backend has one such table. A backend that lacks a kind does not compile.
template <typename... Context>
class KernelFactories : public KindTable<KernelFactoryRow<Context...>> {
 public:
  using Row = KernelFactoryRow<Context...>;
  using Rows = typename KindTable<Row>::Rows;

  // `element_wise` makes the kinds of ElementWiseFunctions. `own` has a row for each other kind.
  // No backend has a kernel of the kind pointwise, which `element_wise` refuses.
  // @pre the rows stand in the order of the enumerators
  consteval KernelFactories(std::span<const Row> own, KernelFactory<Context...>* element_wise)
      : KindTable<Row>(all_rows(own, element_wise)) {}

 private:
  static consteval Rows all_rows(std::span<const Row> own,
                                 KernelFactory<Context...>* element_wise) {
    Rows rows{};
    auto next = own.begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KernelKind kind = Enumerators<KernelKind>::all[i];
      if (ElementWiseFunctions::has(kind) || kind == KernelKind::pointwise) {
        rows[i] = {kind, element_wise};
      } else if (next != own.end()) {
        rows[i] = *next++;
      }
    }
    if (next != own.end()) throw std::logic_error("a kind of kernel has two rows");
    return rows;
  }
};

}  // namespace cnnplan
