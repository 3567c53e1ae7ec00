# shellcheck shell=bash
# Holds the functions that scripts share. A script that sources it is then in the repository root.

repo_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repo_root" || exit 1
# shellcheck disable=SC2034  # used by the scripts that source this file
readonly repo_root

# Open MPI refuses to start as root unless both variables are set. For other users, it ignores them.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

run_as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root, and sudo is not installed: $*"
  fi
}

# Prints how many cores this process may use. Hardware threads of one core count once.
core_count() {
  local cores allowed
  cores=$(lscpu -p=Core,Socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
  allowed=$(nproc)
  if ((cores == 0 || allowed < cores)); then cores=$allowed; fi
  printf '%s\n' "$cores"
}

# Prints the options of mpirun for N ranks. More ranks than cores can run, but their times mean
# nothing.
mpirun_options() {
  if (($1 <= $(core_count))); then
    printf '%s\n' "--bind-to core -n $1"
  else
    printf '%s\n' "--oversubscribe -n $1"
  fi
}
