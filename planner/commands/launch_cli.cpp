// Declares the options and the help of cnnplan launch.
#include "planner/commands/launch_cli.hpp"

#include <string_view>

#include <CLI/CLI.hpp>

#include "planner/cli/help_text.hpp"
#include "planner/launch/batch_script.hpp"

namespace cnnplan {
namespace {

std::string help() {
  return examples_text({
             {"cnnplan launch --srun", "prints a command for plan.json"},
             {"cnnplan launch --mpirun --hostfile hosts -- --steps 20", "without a batch system"},
             {"cnnplan launch plan.json --slurm --time 8:00:00 -o train.sh \\\n"
              "      -- --data train.h5 --epochs 90",
              "submit it with sbatch train.sh"},
         }) +
         section_text("LAUNCH",
                      "What follows -- are options of cnnexec. Ranks that were priced on one node "
                      "are placed on one node, in their order, and bound to cores. Nodes have as "
                      "many ranks as the platform of the plan says. Ranks with GPUs get "
                      "--backend cudnn, so that none computes on cores unseen.\nThe script of "
                      "--slurm saves the state of the training before the time limit, and then "
                      "queues the job again. The same script begins and continues the training.");
}

std::string problem_of_folder(const std::string& text) {
  if (text.starts_with('/')) return {};
  return "got '" + text + "'; allowed: an absolute path, which all nodes see";
}

// Lets the option take only what a line of #SBATCH can hold.
void check_word(CLI::Option* option) {
  option->check([](const std::string& text) { return problem_of_job_word(text); });
}

void add_forms(CLI::App& launch, LaunchOptions& options) {
  launch.option_defaults()->group("What to write");
  const auto add_flag = [&](const char* name, LaunchForm form, const char* text) {
    return launch.add_flag_callback(
        name, [&options, form] { options.form = form; }, text);
  };
  CLI::Option* const slurm = add_flag("--slurm", LaunchForm::slurm, "A script for sbatch");
  CLI::Option* const srun = add_flag("--srun", LaunchForm::srun, "A command with srun of Slurm");
  CLI::Option* const mpirun = add_flag("--mpirun", LaunchForm::mpirun, "A command with mpirun");
  slurm->excludes(srun, mpirun);
  srun->excludes(mpirun);
}

void add_job_options(CLI::App& launch, LaunchOptions& options) {
  launch.option_defaults()->group("Job of Slurm");
  CLI::Option* const slurm = launch.get_option("--slurm");
  const auto add_option =
      [&](const char* name, std::string& value, const char* text, const char* type) {
        return launch.add_option(name, value, text)->type_name(type)->needs(slurm);
      };
  check_word(
      add_option("--partition", options.job.partition, "Partition; default: Slurm's", "PARTITION"));
  check_word(add_option("--account", options.job.account, "Account; default: Slurm's", "ACCOUNT"));
  check_word(add_option(
      "--job-name", options.job.name, "Name of the job; default: the network's", "WORD"));
  add_option("--time",
             options.job.time,
             "Time limit, such as 90 (minutes), 8:00:00 or 2-12:00:00; default: the partition's",
             "DURATION")
      ->check([](const std::string& text) { return problem_of_duration(text); });
  constexpr int most_signal_s = 65535;
  launch
      .add_option("--signal",
                  options.job.signal_s,
                  "Seconds before the time limit at which the ranks save their state; longer than "
                  "a step and a checkpoint take, and more than a minute shorter than --time")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, most_signal_s))
      ->capture_default_str()
      ->needs(slurm);
  add_option("--checkpoint",
             options.checkpoint,
             "Folder for the state of the training, unless options of cnnexec name one",
             "FOLDER")
      ->capture_default_str();
}

void add_place_options(CLI::App& launch, LaunchOptions& options) {
  launch.option_defaults()->group("Places of ranks");
  constexpr int most_cores = 4096;
  launch
      .add_option("--cores-per-rank",
                  options.cores_per_rank,
                  "Cores of a rank; default: one for each of its threads, 2 with a GPU; more let "
                  "it read data ahead")
      ->type_name("COUNT")
      ->check(CLI::Range(1, most_cores));
  launch
      .add_option("--gpus-per-node",
                  options.gpus_per_node,
                  "GPUs of a node; default: one for each of its ranks if the plan is for GPUs, "
                  "else 0")
      ->type_name("COUNT")
      ->check(CLI::Range(0, most_cores));
  launch
      .add_option("--hostfile",
                  options.hostfile,
                  "File of mpirun that names the nodes; in a job, mpirun takes the job's nodes")
      ->type_name("FILE")
      ->needs(launch.get_option("--mpirun"));
  check_word(launch
                 .add_option("--mpi",
                             options.mpi_type,
                             "Type of srun by which MPI starts; srun --mpi=list prints all types")
                 ->type_name("TYPE")
                 ->capture_default_str()
                 ->excludes("--mpirun"));
}

void add_files(CLI::App& launch, LaunchOptions& options) {
  launch.option_defaults()->group("Files");
  launch.add_option("-p,--platform", options.platform_file, "Links; default: as for solve")
      ->type_name("FILE");
  launch.add_option("-o,--output", options.output_file, "Script or command; a hyphen is stdout")
      ->type_name("FILE")
      ->capture_default_str();
  launch.add_option("--program", options.program, "cnnexec as the nodes find it")
      ->type_name("FILE")
      ->capture_default_str();
  launch
      .add_option("--chdir",
                  options.chdir,
                  "Folder in which the ranks run, where they find the files that are named without "
                  "one; default: where the script or command starts")
      ->type_name("FOLDER")
      ->check(problem_of_folder);
}

}  // namespace

void add_launch(CLI::App& app, LaunchOptions& options, const std::string& exit_codes) {
  CLI::App* launch =
      app.add_subcommand("launch", "Write the script or command that runs a plan on a cluster");
  launch->group("Commands");
  launch->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  add_forms(*launch, options);
  add_job_options(*launch, options);
  add_place_options(*launch, options);
  add_files(*launch, options);
  launch->footer(help() + exit_codes);
}

int own_arguments(int argc, const char* const* argv, std::vector<std::string>& words) {
  if (argc < 2 || std::string_view(argv[1]) != "launch") return argc;
  int own = 2;
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  for (int i = own + 1; i < argc; ++i) words.emplace_back(argv[i]);
  return own;
}

}  // namespace cnnplan
