// The backends of this build, by name.
#include "executor/backend/backend.hpp"

#include "executor/backend/reference/backend.hpp"
#include "planner/model/enumerators.hpp"
#include "planner/model/error.hpp"
#ifdef CNNPLAN_HAVE_ONEDNN
#include "executor/backend/onednn/backend.hpp"
#endif

namespace cnnplan {

std::unique_ptr<Backend> make_backend(std::string_view name) {
  if (name == "reference") return reference::make_backend();
#ifdef CNNPLAN_HAVE_ONEDNN
  if (name == "onednn") return onednn::make_backend();
  constexpr std::string_view known = "reference, onednn";
#else
  constexpr std::string_view known = "reference (oneDNN was not found when this was built)";
#endif
  throw EnvironmentError("no backend \"" + std::string(name) +
                         "\" in this build; it has: " + std::string(known));
}

void require_precision(const Backend& backend, Precision precision) {
  if (backend.supports(precision)) return;
  std::string known;
  for (Precision other : Enumerators<Precision>::all) {
    if (!backend.supports(other)) continue;
    known += (known.empty() ? "" : ", ") + std::string(to_text(other));
  }
  throw EnvironmentError("backend \"" + backend.fingerprint().backend + "\" does not run " +
                         std::string(to_text(precision)) + "; it has: " + known);
}

std::string_view default_backend() {
#ifdef CNNPLAN_HAVE_ONEDNN
  return "onednn";
#else
  return "reference";
#endif
}

}  // namespace cnnplan
