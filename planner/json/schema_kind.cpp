// Reads the key "schema" alone, and holds the number of each kind.
#include "planner/json/schema_kind.hpp"

#include <array>

#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/json/json_parser.hpp"

namespace cnnplan {
namespace {

constexpr std::array<std::string_view, 6> kinds{
    "network", "platform", "profile", "plan", "run", "checkpoint"};

}  // namespace

int newest_schema(std::string_view kind) {
  // Since 2, operations have their part, layer and level.
  return kind == "plan" || kind == "run" ? 2 : 1;
}

std::string schema_text(std::string_view kind, int number) {
  return "cnnplan." + std::string(kind) + '/' + std::to_string(number);
}

std::optional<int> schema_number(std::string_view schema, std::string_view kind) {
  for (int number = newest_schema(kind); number > 0; --number) {
    if (schema == schema_text(kind, number)) return number;
  }
  return std::nullopt;
}

std::string schema_texts(std::string_view kind) {
  std::string text;
  for (int number = newest_schema(kind); number > 0; --number) {
    text += (text.empty() ? "\"" : " or \"") + schema_text(kind, number) + '"';
  }
  return text;
}

std::string wrong_kind_advice(std::string_view schema,
                              std::string_view needed,
                              const std::string& file) {
  for (const std::string_view kind : kinds) {
    if (kind == needed || !schema_number(schema, kind)) continue;
    std::string text = "; this is a " + std::string(kind);
    const std::string word = shell_word(file);
    if (kind == "network" && needed == "plan") {
      text.append(": make a plan of it with: cnnplan solve ").append(word);
    } else if (kind == "plan" && needed == "network") {
      text.append(": run it with: cnnexec ").append(word);
      text.append(", or see it with: cnnplan explain ").append(word);
    } else if (kind == "plan" && needed == "run") {
      text.append(": run it with: cnnexec ").append(word);
    } else if (kind == "run" && needed == "plan") {
      text.append(": compare it with its plan: cnnplan compare PLAN ").append(word);
    }
    return text;
  }
  return {};
}

SchemaKind schema_kind(std::string_view json, const std::string& file) {
  const nlohmann::json document = parse_json(json, file);
  const bool named = document.is_object() && document.contains("schema");
  const bool is_text = named && document["schema"].is_string();
  const std::string schema = is_text ? document["schema"].get<std::string>() : "";
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (schema_number(schema, kinds[i])) return static_cast<SchemaKind>(i);
  }
  throw InputError(
      {.file = file,
       .pointer = "/schema",
       .value = named ? document["schema"].dump() : "nothing",
       .allowed =
           "\"cnnplan.<kind>/1\" with kind network, platform, profile, plan, run or checkpoint, "
           "and \"cnnplan.plan/2\" and \"cnnplan.run/2\""});
}

}  // namespace cnnplan
