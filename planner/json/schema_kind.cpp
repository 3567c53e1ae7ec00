// Reads the key "schema" alone, and holds the number of each kind.
#include "planner/json/schema_kind.hpp"

#include <array>
#include <cstdint>

#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/json/json_parser.hpp"

namespace cnnplan {
namespace {

constexpr std::array<std::string_view, 6> kinds{
    "network", "platform", "profile", "plan", "run", "checkpoint"};

// Stops the library's parser after the first key of a document and its value. Long files begin with
// their schema, so that they need not be read as a whole to know their kind.
class FirstEntry final : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Returns the value of a document whose first key is "schema" and has a text, else an empty text.
  const std::string& schema() const { return schema_; }

  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(std::int64_t /*value*/) override { return false; }
  bool number_unsigned(std::uint64_t /*value*/) override { return false; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return false; }
  bool string(std::string& value) override {
    if (is_schema_) schema_ = value;
    return false;
  }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return !is_schema_; }
  bool start_array(std::size_t /*size*/) override { return false; }
  bool end_object() override { return false; }
  bool end_array() override { return false; }
  bool key(std::string& key) override {
    is_schema_ = key == "schema";
    return is_schema_;
  }
  bool parse_error(std::size_t /*place*/,
                   const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  bool is_schema_ = false;
  std::string schema_;
};

std::optional<SchemaKind> kind_of(std::string_view schema) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (schema_number(schema, kinds[i])) return static_cast<SchemaKind>(i);
  }
  return std::nullopt;
}

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
  FirstEntry first;
  nlohmann::json::sax_parse(json, &first);
  if (const auto kind = kind_of(first.schema())) return *kind;
  const nlohmann::json document = parse_json(json, file);
  const bool named = document.is_object() && document.contains("schema");
  const bool is_text = named && document["schema"].is_string();
  const std::string schema = is_text ? document["schema"].get<std::string>() : "";
  if (const auto kind = kind_of(schema)) return *kind;
  throw InputError(
      {.file = file,
       .pointer = "/schema",
       .value = named ? document["schema"].dump() : "nothing",
       .allowed =
           "\"cnnplan.<kind>/1\" with kind network, platform, profile, plan, run or checkpoint, "
           "and \"cnnplan.plan/2\" and \"cnnplan.run/2\""});
}

}  // namespace cnnplan
