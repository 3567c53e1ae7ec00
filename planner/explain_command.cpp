// A plan in words, its prices written out where its figures are at hand.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "planner/chosen_file.hpp"
#include "planner/commands.hpp"
#include "planner/model/error.hpp"
#include "planner/model/file.hpp"
#include "planner/predict/formulas.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/formula_text.hpp"
#include "planner/report/sensitivity_text.hpp"
#include "planner/search/prediction_check.hpp"
#include "planner/search/sensitivity.hpp"

namespace cnnplan {
namespace {

// What the plan was made from besides the network, which is recorded first.
class PlanInputs {
 public:
  explicit PlanInputs(const Plan& plan) : any_(!plan.inputs.empty()), missing_(plan.inputs) {
    if (any_) missing_.erase(missing_.begin());
  }

  // The file that the user named or that has the default name, where the plan was made from it.
  std::optional<std::string> take(const std::string& named, const std::string& standard) {
    const std::string name = chosen_file(named, standard);
    if (name.empty() || !any_) return name.empty() ? std::nullopt : std::optional(name);
    const std::string digest = sha256(read_file(name));
    const auto found = std::find_if(missing_.begin(), missing_.end(), [&](const InputFile& input) {
      return input.sha256 == digest;
    });
    if (found == missing_.end()) {
      if (!named.empty()) other_ = named;
      return std::nullopt;
    }
    missing_.erase(found);
    return name;
  }

  // Why prices of these files are none of the plan; empty where they are.
  std::string problem() const {
    if (!other_.empty()) return other_ + " is none of the files that the plan was made from";
    if (missing_.empty()) return "";
    return "the prices need the " + missing_.front().file +
           " that the plan was made from (SHA-256 " + missing_.front().sha256 +
           "); name it with --platform or --profile";
  }

 private:
  bool any_;
  std::vector<InputFile> missing_;
  std::string other_;
};

// What prices of a plan are made of.
struct Figures {
  Platform platform;
  Profile profile;
};

// Or why they are not at hand.
std::variant<Figures, std::string> figures_of(const Plan& plan, const ExplainOptions& options) {
  PlanInputs inputs(plan);
  const auto platform_file = inputs.take(options.platform_file, default_platform_file);
  const auto profile_file = inputs.take(options.profile_file, default_profile_file);
  if (!inputs.problem().empty()) return inputs.problem();
  return Figures{
      .platform = platform_file ? read_platform(*platform_file) : default_platform(plan.ranks),
      .profile = profile_file ? read_profile(*profile_file) : Profile{}};
}

void print_formulas(const Plan& plan, const ExplainOptions& options) {
  std::cout << '\n';
  const auto found = figures_of(plan, options);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    std::cout << "no formulas: " << *problem << '\n';
    return;
  }
  const auto& [platform, profile] = std::get<Figures>(found);
  const KernelCosts kernels(profile, platform);
  std::cout << to_text(formulas(plan, options.layer, PriceList(platform, kernels)));
}

void print_sensitivity(const Plan& plan, const ExplainOptions& options) {
  if (!options.layer.empty()) layer_named(plan, options.layer);
  check_prediction(plan, options.plan_file);
  const auto found = figures_of(plan, options);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    throw Error(ExitCode::bad_input, "no sensitivity: " + *problem);
  }
  const auto& [platform, profile] = std::get<Figures>(found);
  std::cout << to_text(sensitivity(plan, platform, profile, options.layer), plan);
}

}  // namespace

ExitCode explain_command(const ExplainOptions& options) {
  const Plan plan = read_plan(options.plan_file);
  if (options.sensitivity) {
    print_sensitivity(plan, options);
    return ExitCode::ok;
  }
  std::cout << explain(plan, options.layer.empty() ? std::nullopt : std::optional(options.layer));
  if (!options.layer.empty()) print_formulas(plan, options);
  return ExitCode::ok;
}

}  // namespace cnnplan
