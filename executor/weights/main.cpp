// cnnplan-weights writes the parameters of an ONNX model to a file that cnnexec --weights reads.
// `cnnplan import --weights` runs it.
#include <cstdint>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/standard_streams.hpp"
#include "planner/cli/suggestions.hpp"
#include "planner/cli/version_text.hpp"
#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan {
namespace {

struct Options {
  std::string model_file;
  std::string weights_file = "weights.h5";
  ImportOptions import;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("model", options.model_file, "ONNX file")->required();
  app.add_option("weights", options.weights_file, "HDF5 file")->capture_default_str();
  app.option_defaults()->group("Model");
  app.add_option("-i,--input", options.import.input, "As for cnnplan import")->type_name("DIMS");
  app.add_option("--main-output", options.import.output, "As for cnnplan import")
      ->type_name("VALUE");
  app.add_option("--loss", options.import.loss, "As for cnnplan import")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--auxiliary", options.import.auxiliary, "As for cnnplan import")
      ->type_name("VALUE=WEIGHT")
      ->allow_extra_args(false);
  app.footer(examples_text({
      {"cnnplan import resnet50.onnx --weights weights.h5", "network.json and weights.h5"},
      {"cnnplan-weights resnet50.onnx weights.h5", "weights.h5 only"},
  }));
}

void write_weights(const Options& options) {
  const std::string& file = options.model_file;
  const ImportedModel model =
      import_onnx(parse_onnx(read_onnx_file(file), file), file, options.import);
  TensorFileWriter writer(options.weights_file);
  for (const ImportedTensor& tensor : model.tensors) {
    const bool is_double = tensor.values->type == TensorType::float64;
    writer.write(tensor_name(tensor.layer, tensor.name),
                 tensor.extents,
                 values_of(tensor, file),
                 is_double ? Precision::fp64 : Precision::fp32);
  }
  writer.finish();
  print_note("wrote " + options.weights_file + ": " + std::to_string(model.tensors.size()) +
             " tensors; train from them with:" + std::string(command_line) + "cnnexec --weights " +
             options.weights_file);
}

int run(int argc, char** argv) {
  CLI::App app("cnnplan-weights: parameters of an ONNX model for cnnexec", "cnnplan-weights");
  use_help_text(app);
  suggest_options(app);
  app.set_version_flag("--version", version_text("cnnplan-weights"), "Print the version");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  write_weights(options);
  return 0;
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  cnnplan::occupy_closed_streams();
  try {
    return cnnplan::code_after_output("cnnplan-weights", cnnplan::run(argc, argv));
  } catch (const cnnplan::Error& error) {
    cnnplan::print_error("cnnplan", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    cnnplan::print_error("cnnplan", std::string("internal error: ") + error.what());
    return static_cast<int>(cnnplan::ExitCode::internal);
  }
}
