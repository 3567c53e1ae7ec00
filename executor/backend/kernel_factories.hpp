// Chooses the function that makes a kernel by the kernel's kind.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "planner/kernel/kind_table.hpp"

namespace cnnplan {

// A function of this type makes the kernels of one kind. `Context` is what a backend passes to all
// of its functions, such as its library.
template <typename... Context>
using KernelFactory = std::unique_ptr<Kernel>(Context... context,
                                              const KernelSpec& spec,
                                              const KernelConstants& constants);

template <typename... Context>
struct KernelFactoryRow {
  KernelKind kind = KernelKind::convolution;
  KernelFactory<Context...>* make = nullptr;
};

// Every backend has one such table. A backend that lacks a kind does not compile.
template <typename... Context>
using KernelFactories = KindTable<KernelFactoryRow<Context...>>;

}  // namespace cnnplan
