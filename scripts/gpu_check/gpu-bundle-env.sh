# shellcheck shell=bash
# Sets the paths of a bundle of scripts/gpu-bundle, wherever it lies, when it is sourced in bash.
# They serve cnnplan, cnnexec and mpirun. PyTorch finds its own paths, so start it from another shell.
# With --nodes, Open MPI chooses how to reach and start several nodes.

bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The first use unpacks programs and libraries, into a folder of its own first: it may be
# interrupted. The libraries take their place last.
if [[ ! -d $bundle/lib ]]; then
  unpacking=$(mktemp -d "$bundle/unpacking.XXXXXX") || {
    echo "env.sh: copy $bundle to a place that can be written" >&2
    return 1
  }
  tar -xzf "$bundle/programs.tar.gz" -C "$unpacking" && rm -rf "${bundle:?}/bin" &&
    mv -T "$unpacking/bin" "$bundle/bin" && mv -T "$unpacking/lib" "$bundle/lib" 2>/dev/null
  rm -rf "$unpacking"
  unset unpacking
  if [[ ! -d $bundle/lib ]]; then
    echo "env.sh: $bundle/programs.tar.gz cannot be unpacked there" >&2
    return 1
  fi
fi

# Prints the folders with CUDA's libraries: first of PyTorch's Python packages, then of the toolkit.
cuda_folders() {
  python3 - <<'PYTHON' 2>/dev/null || true
import importlib.util
import pathlib

nvidia = importlib.util.find_spec("nvidia")
for root in nvidia.submodule_search_locations if nvidia else []:
    for folder in sorted(pathlib.Path(root).glob("*/lib")):
        print(folder)
PYTHON
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
    if [[ -d $folder ]]; then printf '%s\n' "$folder"; fi
  done
}

export PATH=$bundle/bin:$PATH
LD_LIBRARY_PATH=$bundle/lib:$(cuda_folders | paste -sd :):${LD_LIBRARY_PATH:-}
LD_LIBRARY_PATH=${LD_LIBRARY_PATH//::/:}
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH%:}

# One node needs shared memory between ranks, but no network and no batch system. Copies from the
# memory of another process are off because containers often forbid them.
export OPAL_PREFIX=$bundle PMIX_INSTALL_PREFIX=$bundle PMIX_PKGLIBDIR=$bundle/lib/pmix
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [[ ${1:-} == --nodes ]]; then
  unset OMPI_MCA_btl OMPI_MCA_pml OMPI_MCA_plm
else
  export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_plm=isolated
fi
export OMPI_MCA_mca_base_component_show_load_errors=0
# Without PMIx's plugin for zlib, every mpirun would print five lines.
export PMIX_MCA_pcompress_base_silence_warning=1
export OMPI_MCA_btl_vader_single_copy_mechanism=${OMPI_MCA_btl_vader_single_copy_mechanism:-none}
unset -f cuda_folders
