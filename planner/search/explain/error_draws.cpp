// Draws errors of figures, prices operations again with them, and walks the steps.
#include "planner/search/explain/error_draws.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "planner/base/parallel.hpp"
#include "planner/what_if/what_if.hpp"

namespace cnnplan {
namespace {

constexpr double measured_link_error = 0.05;
constexpr double nominal_link_error = 0.2;
// Times that were measured still differ between runs.
constexpr double least_kernel_error = 0.01;

// Hashes by FNV-1a (Fowler, Noll, Vo).
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

// Mixes the bits of a counter (SplitMix64, Steele et al. 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// Returns a number in (0, 1].
double uniform(std::uint64_t bits) {
  constexpr double scale = 0x1p-53;
  return (static_cast<double>(bits >> 11U) + 1.0) * scale;
}

// Transforms two uniform numbers by the method of Box and Muller.
double normal(std::uint64_t seed, int draw) {
  const std::uint64_t first = mixed(seed + 2 * static_cast<std::uint64_t>(draw));
  const double radius = std::sqrt(-2.0 * std::log(uniform(first)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(mixed(first)));
}

// Returns half of the logarithm of the range, which counts as one standard deviation.
double error_of(const Price& price) {
  if (!(price.low_s > 0.0) || !(price.high_s > price.low_s)) return least_kernel_error;
  return std::max(least_kernel_error, 0.5 * std::log(price.high_s / price.low_s));
}

// Holds the variance of a kind's kernels, weighted by their time.
struct KindError {
  double variance_s = 0.0;
  double seconds = 0.0;
};

std::map<std::string, KindError> kind_errors(const PricedPlan& priced) {
  std::map<std::string, KindError> errors;
  for (const PricedSchedule& rank : priced.schedules) {
    const auto& operations = rank.schedule.operations;
    for (const OperationIndex i : operations.indices()) {
      const auto* kernel = std::get_if<KernelOperation>(&operations[i].body);
      if (kernel == nullptr || rank.prices[i].seconds == 0.0) continue;
      KindError& error = errors[std::string(to_text(kernel->spec.kind))];
      const double deviation = error_of(rank.prices[i]);
      error.variance_s += deviation * deviation * rank.prices[i].seconds;
      error.seconds += rank.prices[i].seconds;
    }
  }
  return errors;
}

DrawnFigure drawn(const MachineFigure& figure, double error) {
  DrawnFigure result{.figure = to_text(figure), .error = error, .factors = {}};
  for (int draw = 0; draw < draw_count; ++draw) {
    result.factors.push_back(std::exp(error * standard_normal(result.figure, draw)));
  }
  return result;
}

std::vector<MachineFigure> link_figures(const Platform& platform) {
  std::vector<std::string> levels{"level"};
  if (platform.allreduce.empty()) {
    levels.clear();
    for (const Level& level : platform.levels) levels.push_back(level.name);
  }
  std::vector<MachineFigure> figures;
  for (const std::string& level : levels) {
    for (const char* name : {"alpha_s", "beta_s_per_byte"}) {
      figures.push_back({.owner = FigureOwner::level, .level = level, .name = name});
    }
  }
  return figures;
}

// Holds what a draw needs of equal kernels. `kind` is null if no figure is of their kind.
struct DrawnKernel {
  const DrawnFigure* kind = nullptr;
  double own_error = 0.0;
  std::uint64_t seed = 0;

  double factor(int draw) const {
    const double common = kind == nullptr ? 1.0 : kind->factors[static_cast<std::size_t>(draw)];
    return common * std::exp(own_error * normal(seed, draw));
  }
};

// Holds a transfer or a collective.
struct DrawnCommunication {
  OperationIndex operation{};
  Traffic traffic;
};

// Names a kernel operation, and its place among the distinct kernels.
struct DrawnOperation {
  OperationIndex operation{};
  std::size_t kernel = 0;
};

// Holds the operations of a rank whose prices a draw changes. Loads keep theirs.
struct DrawnOperations {
  std::vector<DrawnOperation> kernels;
  std::vector<DrawnCommunication> communication;
};

using KindFigures = std::map<KernelKind, const DrawnFigure*>;

KindFigures kinds_of(const std::vector<DrawnFigure>& figures) {
  KindFigures kinds;
  for (const KernelKind kind : Enumerators<KernelKind>::all) {
    const MachineFigure wanted{.owner = FigureOwner::kernels, .name = std::string(to_text(kind))};
    const auto found = std::find_if(figures.begin(), figures.end(), [&](const auto& figure) {
      return figure.figure == to_text(wanted);
    });
    kinds[kind] = found == figures.end() ? nullptr : &*found;
  }
  return kinds;
}

// Lists each kernel of all ranks once, because ranks and layers repeat a few kernels many times.
class DrawnKernels {
 public:
  explicit DrawnKernels(const std::vector<DrawnFigure>& figures) : kinds_(kinds_of(figures)) {}

  // Returns the place of a kernel with this price.
  std::size_t add(const KernelSpec& spec, const Price& price) {
    const auto [entry, is_new] =
        places_.try_emplace({canonical(spec), error_of(price)}, kernels_.size());
    if (is_new) {
      const auto& [key, error] = entry->first;
      kernels_.push_back({.kind = kinds_.at(key.kind),
                          .own_error = std::sqrt(0.5) * error,
                          .seed = hash_of(to_text(key))});
    }
    return entry->second;
  }
  // Returns the factors of all kernels, by place.
  std::vector<double> factors(int draw) const {
    std::vector<double> factors;
    factors.reserve(kernels_.size());
    for (const DrawnKernel& kernel : kernels_) factors.push_back(kernel.factor(draw));
    return factors;
  }

 private:
  KindFigures kinds_;
  std::map<std::pair<KernelSpec, double>, std::size_t> places_;
  std::vector<DrawnKernel> kernels_;
};

DrawnOperations operations_of(const PricedSchedule& rank,
                              const PriceList& prices,
                              DrawnKernels& kernels) {
  DrawnOperations drawn;
  const auto& operations = rank.schedule.operations;
  for (const OperationIndex i : operations.indices()) {
    if (const auto* kernel = std::get_if<KernelOperation>(&operations[i].body)) {
      drawn.kernels.push_back(
          {.operation = i, .kernel = kernels.add(kernel->spec, rank.prices[i])});
    } else if (is_communication(operations[i])) {
      drawn.communication.push_back(
          {.operation = i, .traffic = prices.traffic_of(rank.schedule, operations[i])});
    }
  }
  return drawn;
}

void scale(Price& price, double factor) {
  for (double Price::*member :
       {&Price::seconds, &Price::low_s, &Price::high_s, &Price::rank_spread_s}) {
    price.*member *= factor;
  }
}

// Returns the platform of a draw. Figures of kernels do not belong to it.
Platform drawn_platform(Platform platform, const std::vector<DrawnFigure>& figures, int draw) {
  for (const MachineFigure& link : link_figures(platform)) {
    const std::string name = to_text(link);
    for (const DrawnFigure& figure : figures) {
      if (figure.figure != name) continue;
      multiply(link, figure.factors[static_cast<std::size_t>(draw)], platform);
    }
  }
  return platform;
}

IndexedVector<OperationIndex, Price> drawn_prices(IndexedVector<OperationIndex, Price> prices,
                                                  const DrawnOperations& drawn,
                                                  const PriceList& list,
                                                  const std::vector<double>& factors) {
  for (const auto& [operation, kernel] : drawn.kernels) scale(prices[operation], factors[kernel]);
  for (const DrawnCommunication& one : drawn.communication) {
    prices[one.operation] = list(one.traffic);
  }
  return prices;
}

}  // namespace

double standard_normal(const std::string& name, int draw) {
  return normal(hash_of(name), draw);
}

std::vector<DrawnFigure> drawn_figures(const PricedPlan& priced, const Platform& platform) {
  std::vector<DrawnFigure> figures;
  const double link_error = platform.measured ? measured_link_error : nominal_link_error;
  for (const MachineFigure& link : link_figures(platform)) {
    figures.push_back(drawn(link, link_error));
  }
  for (const auto& [kind, error] : kind_errors(priced)) {
    const double common = std::sqrt(0.5 * error.variance_s / error.seconds);
    figures.push_back(drawn({.owner = FigureOwner::kernels, .name = kind}, common));
  }
  return figures;
}

std::vector<double> drawn_steps_s(const Plan& plan,
                                  const PricedPlan& priced,
                                  const PriceList& prices,
                                  const std::vector<DrawnFigure>& figures) {
  DrawnKernels kernels(figures);
  std::vector<RankWork> work;
  std::vector<DrawnOperations> operations;
  for (const PricedSchedule& rank : priced.schedules) {
    work.push_back(work_of(rank));
    operations.push_back(operations_of(rank, prices, kernels));
  }
  const Walks walks(work, priced.classes);
  const VirtualTimeOptions options = walk_options(plan, prices);
  std::vector<double> steps_s(draw_count);
  parallel_for(steps_s.size(), [&](std::size_t i) {
    const int draw = static_cast<int>(i);
    const Platform platform = drawn_platform(prices.platform(), figures, draw);
    const PriceList list(platform, prices);
    const std::vector<double> factors = kernels.factors(draw);
    std::vector<IndexedVector<OperationIndex, Price>> drawn;
    for (std::size_t rank = 0; rank < work.size(); ++rank) {
      drawn.push_back(drawn_prices(work[rank].prices, operations[rank], list, factors));
    }
    steps_s[i] = step_time_s(walks(drawn, options));
  });
  return steps_s;
}

}  // namespace cnnplan
