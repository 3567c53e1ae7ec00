// Looks at "schema" only.
#include "planner/json/schema_kind.hpp"

#include <array>

#include "planner/base/error.hpp"
#include "planner/json/json_parser.hpp"

namespace cnnplan {

SchemaKind schema_kind(std::string_view json, const std::string& file) {
  constexpr std::array<std::string_view, 6> kinds{
      "network", "platform", "profile", "plan", "run", "checkpoint"};
  const nlohmann::json document = parse_json(json, file);
  const bool named = document.is_object() && document.contains("schema");
  for (std::size_t i = 0; named && i < kinds.size(); ++i) {
    if (document["schema"] == "cnnplan." + std::string(kinds[i]) + "/1") {
      return static_cast<SchemaKind>(i);
    }
  }
  throw InputError(
      {.file = file,
       .pointer = "/schema",
       .value = named ? document["schema"].dump() : "nothing",
       .allowed =
           "\"cnnplan.<kind>/1\" with kind network, platform, profile, plan, run or checkpoint"});
}

}  // namespace cnnplan
