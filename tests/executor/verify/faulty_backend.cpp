// Runs a kernel of the host, and changes its first result afterwards.
#include "tests/executor/verify/faulty_backend.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/verify/dense_operand.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan::test {
namespace {

class FaultyKernel final : public Kernel {
 public:
  FaultyKernel(std::unique_ptr<Kernel> inner, const KernelSpec& spec, const Fault& fault)
      : inner_(std::move(inner)), roles_(kernel_operands(spec)), fault_(fault) {}

  void run(Operands operands, const StepState& state) override {
    inner_->run(operands, state);
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (!roles_[i].written || roles_[i].element == BufferElement::int32) continue;
      return add_to(operands[i], element_type(roles_[i].element));
    }
  }
  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  std::string implementation() const override { return inner_->implementation(); }

 private:
  void add_to(const TensorView& view, ElementType element) const {
    const auto count = static_cast<std::size_t>(volume(view.box));
    if (count == 0) return;
    const std::size_t first = fault_.place % count;
    std::size_t length = 1;
    if (fault_.extent == FaultExtent::row) {
      const Shape shape = view.shape();
      const auto line = static_cast<std::size_t>(shape[Dim::c] * shape[Dim::w]);
      length = line < count ? line : count / 10 + 1;
    }
    const bool is_all = fault_.extent == FaultExtent::all;
    with_type_of(element, [&]<typename T>(T) {
      for_each_element<T>(view, [&](T& value, std::size_t place) {
        const bool is_hit = is_all || (place >= first && place < first + length);
        if (is_hit) value = stored<T>(static_cast<double>(value) + fault_.size);
      });
    });
  }

  std::unique_ptr<Kernel> inner_;
  std::vector<KernelOperand> roles_;
  Fault fault_;
};

}  // namespace

std::unique_ptr<Kernel> FaultyBackend::make_kernel(const KernelSpec& spec,
                                                   const KernelConstants& constants,
                                                   const std::string& implementation) {
  std::unique_ptr<Kernel> made = inner().make_kernel(spec, constants, implementation);
  if (kernels_++ != fault_.kernel) return made;
  return std::make_unique<FaultyKernel>(std::move(made), spec, fault_);
}

}  // namespace cnnplan::test
