// Compares the roundings of each tensor with the size that matters in a training.
#include "executor/verify/blunt_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "executor/verify/rounding.hpp"

namespace cnnplan {
namespace {

using Kind = DumpedTensor::Kind;

constexpr double least_part_of_gradients = 0.01;
constexpr double least_roundings = 256.0;  // of activations, in 16 bits in place of the hundredth
// Losses hardly depend on smaller outputs.
constexpr double least_output = 0.01;
constexpr double blunt_part = 0.5;  // of a tensor: where rounding changes more, nothing is known

// Says how large each tensor is, compared with which its limit is large.
class Scale {
 public:
  explicit Scale(Precision precision)
      : least_part_(
            std::max(least_part_of_gradients,
                     least_roundings * std::max(unit_rounding(activation_element(precision)),
                                                factor_rounding(precision)))) {}

  void add(const DumpedTensor& tensor, const TensorComparison& compared) {
    if (tensor.kind != Kind::gradient) return;
    squares_ += compared.norm * compared.norm;
    elements_ += static_cast<double>(tensor.elements());
  }
  // Smaller gradients are mere rounding, for example of a bias before a batch norm. A mean is
  // compared with the deviation, and the tensor of variances follows.
  double of(const DumpedTensor& tensor,
            const TensorComparison& compared,
            const TensorComparison* next) const {
    if (tensor.kind == Kind::running_mean) {
      return std::max(compared.norm, next->root_norm);
    }
    if (tensor.kind == Kind::output) {
      return std::max(compared.norm,
                      least_output * std::sqrt(static_cast<double>(tensor.elements())));
    }
    if (tensor.kind != Kind::gradient || elements_ == 0.0) return compared.norm;
    const double part = static_cast<double>(tensor.elements()) / elements_;
    return std::max(compared.norm, least_part_ * std::sqrt(squares_ * part));
  }

 private:
  double least_part_;
  double squares_ = 0.0;
  double elements_ = 0.0;
};

}  // namespace

std::string blunt_tensor(const std::vector<DumpedTensor>& tensors,
                         const std::vector<TensorComparison>& compared,
                         Precision precision) {
  Scale scale(precision);
  for (std::size_t i = 0; i < tensors.size(); ++i) scale.add(tensors[i], compared[i]);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorComparison* next = i + 1 < tensors.size() ? &compared[i + 1] : nullptr;
    const double size = scale.of(tensors[i], compared[i], next);
    const bool is_large = size > 0.0 && compared[i].rounding > blunt_part * size;
    if (is_large || !std::isfinite(compared[i].rounding)) return compared[i].name;
  }
  return {};
}

}  // namespace cnnplan
