# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034  # variables that other files of `run` set or read
# NVIDIA GPUs of this machine, nvcc, and which kind of build they allow.

cuda_folders=(/usr/local/cuda /usr/local/cuda-*)
nvidia_proc=/proc/driver/nvidia
cuda_minimum=12.2
cuda_package="NVIDIA's package cuda-toolkit ($cuda_minimum or newer; Debian's nvidia-cuda-toolkit has 11.8, which is too old)"

# Compute capabilities that Kokkos has a name for; Kindred needs 7.5.
kokkos_gpus=([75]=TURING75 [80]=AMPERE80 [86]=AMPERE86 [87]=AMPERE87 [89]=ADA89 [90]=HOPPER90 [100]=BLACKWELL100 [120]=BLACKWELL120)

not_older() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }  # VERSION THAN

# find_gpus: sets gpus to the compute capabilities of this machine's NVIDIA GPUs, such as `90`, least first. They are unknown, and
# gpus empty, if there is no nvidia-smi and the names that the driver has are not in the list. Fails if there is no GPU.
find_gpus() {
  gpus=()
  local smi=nvidia-smi information
  [[ -x /usr/lib/wsl/lib/nvidia-smi ]] && ! command -v nvidia-smi >/dev/null && smi=/usr/lib/wsl/lib/nvidia-smi
  mapfile -t gpus < <("$smi" --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -nE 's/^ *([0-9]+)\.([0-9]+) *$/\1\2/p' | sort -nu)
  ((${#gpus[@]} > 0)) && return
  compgen -G "$nvidia_proc/gpus/*/information" >/dev/null || return 1
  for information in "$nvidia_proc"/gpus/*/information; do
    case $(sed -n 's/^Model: *//p' "$information") in
      *Quadro\ RTX* | *T4* | *GTX\ 16*) gpus+=(75) ;;
      *Ada* | *L4* | *RTX\ 40*) gpus+=(89) ;;
      *B100* | *B200*) gpus+=(100) ;;
      *RTX\ 50* | *RTX\ PRO*Blackwell*) gpus+=(120) ;;
      *H100* | *H200* | *H800* | *H20*) gpus+=(90) ;;
      *A100* | *A800* | *A30*) gpus+=(80) ;;
      *A10* | *A16* | *A2 | *A40* | *RTX\ 30* | *RTX\ A*) gpus+=(86) ;;
      *RTX\ 20*) gpus+=(75) ;;
      *V100* | *TITAN\ V*) gpus+=(70) ;;
    esac
  done
  mapfile -t gpus < <(printf '%s\n' "${gpus[@]}" | sort -nu | sed '/^$/d')
}

# find_nvcc: sets nvcc and nvcc_version, and puts nvcc into PATH for nvcc_wrapper. Fails if there is none.
find_nvcc() {
  local candidate folders=()
  [[ -n ${CUDA_HOME:-} ]] && folders+=("$CUDA_HOME")
  [[ -n ${CUDA_PATH:-} ]] && folders+=("$CUDA_PATH")
  local candidates=("${CUDACXX:-}" "${folders[@]/%//bin/nvcc}" "$(command -v nvcc || true)" "${cuda_folders[@]/%//bin/nvcc}")
  for candidate in "${candidates[@]}"; do
    if [[ -n $candidate && -x $candidate ]] && nvcc_version=$("$candidate" --version 2>/dev/null | sed -nE 's/.*release ([0-9]+\.[0-9]+).*/\1/p') && [[ -n $nvcc_version ]]; then
      nvcc=$candidate
      PATH=$(dirname "$nvcc"):$PATH
      return
    fi
  done
  return 1
}

# The newest CUDA that the driver runs, or nothing where nvidia-smi does not say it.
cuda_of_driver() { nvidia-smi 2>/dev/null | sed -nE 's/.*CUDA( UMD)? Version *: *([0-9]+\.[0-9]+).*/\2/p' | head -n 1; }

# choose_architecture: sets gpu_architecture to the one to compile for: KINDRED_CUDA_ARCH, else that of the least GPU of this machine. Newer
# GPUs compile the PTX that a build contains. One that Kokkos or nvcc does not know yet takes the next older one's.
choose_architecture() {
  local wanted=${KINDRED_CUDA_ARCH:-} known candidate
  wanted=${wanted#sm_}
  [[ $wanted =~ ^[0-9]*$ && ( -z $wanted || $wanted -ge 75 ) ]] ||
    fail "KINDRED_CUDA_ARCH=$KINDRED_CUDA_ARCH is not a compute capability without its dot, such as 80, 90 or 120; the least is 75"
  if [[ -z $wanted ]]; then
    find_gpus || fail "this machine has no NVIDIA GPU to compile for: name the architecture, such as KINDRED_CUDA_ARCH=90 ./run build cuda (80: A100, 89: L4 and RTX 40, 90: H100 and H200, 100: B200, 120: RTX 50)"
    ((${#gpus[@]} > 0)) || fail "cannot find out the compute capability of this machine's GPU: install nvidia-smi, or name it, such as KINDRED_CUDA_ARCH=90 for H100 and H200"
    for candidate in "${gpus[@]}"; do
      if ((candidate >= 75)); then wanted=$candidate; break; fi
    done
    [[ -n $wanted ]] || fail "the newest GPU of this machine has compute capability ${gpus[-1]%?}.${gpus[-1]: -1}; Kindred needs 7.5. The host build is: ./run build"
  fi
  gpu_architecture=""
  known=$("$nvcc" --list-gpu-arch)
  for candidate in "${!kokkos_gpus[@]}"; do
    if ((candidate <= wanted)) && grep -qx "compute_$candidate" <<<"$known"; then gpu_architecture=$candidate; fi
  done
  [[ -n $gpu_architecture ]] || fail "nvcc $nvcc_version compiles for no architecture up to sm_$wanted"
  [[ $gpu_architecture == "$wanted" ]] || say "compiling for sm_$gpu_architecture, whose PTX the driver compiles for sm_$wanted"
}

require_nvcc() {
  [[ $PWD != *[[:space:]]* ]] || fail "nvcc_wrapper takes no path with spaces, such as $PWD: move the repository"
  find_nvcc || fail "there is no nvcc in CUDACXX, CUDA_HOME, PATH or /usr/local/cuda; it comes with $cuda_package"
  not_older "$nvcc_version" "$cuda_minimum" || fail "$nvcc has CUDA $nvcc_version; Kindred needs $cuda_minimum or newer: install $cuda_package, or set CUDA_HOME to another toolkit"
}

# why_no_gpu_build: prints why the GPU of this machine cannot be used, or nothing.
why_no_gpu_build() {
  local driver
  if [[ $PWD == *[[:space:]]* ]]; then
    echo "nvcc_wrapper takes no path with spaces, such as $PWD: move the repository"
  elif ! find_nvcc; then
    echo "there is no nvcc in CUDACXX, CUDA_HOME, PATH or /usr/local/cuda. It comes with $cuda_package"
  elif ! not_older "$nvcc_version" "$cuda_minimum"; then
    echo "$nvcc has CUDA $nvcc_version, and Kindred needs $cuda_minimum: install $cuda_package, or set CUDA_HOME to another toolkit"
  elif driver=$(cuda_of_driver) && [[ -n $driver ]] && ((${driver%.*} < ${nvcc_version%.*})); then
    echo "the driver runs programs of CUDA $driver at most, and $nvcc has CUDA $nvcc_version: install a newer driver, or set CUDA_HOME to a toolkit of CUDA ${driver%.*}"
  elif ((${#gpus[@]} > 0 && gpus[-1] < 75)); then
    echo "its compute capability is ${gpus[-1]%?}.${gpus[-1]: -1}, and Kindred needs 7.5"
  elif ((${#gpus[@]} == 0)) && [[ -z ${KINDRED_CUDA_ARCH:-} ]]; then
    echo "its compute capability is not known: install nvidia-smi, or name it, such as KINDRED_CUDA_ARCH=90 for H100 and H200"
  elif [[ -n ${Kokkos_ROOT:-} ]] && ! has_cuda "$Kokkos_ROOT"; then
    echo "Kokkos_ROOT=$Kokkos_ROOT is a Kokkos without CUDA"
  fi
}

# choose_preset: sets preset to `cuda` where a GPU can be used, else, and with --host, to `release`. Says why a GPU is not used.
choose_preset() {
  local reason
  preset=release
  [[ $host_only == 0 ]] && find_gpus || return 0
  reason=$(why_no_gpu_build)
  if [[ -n $reason ]]; then
    say "this machine has an NVIDIA GPU, but this is a host build, which does not use it: $reason. Then run the command again; --host asks for a host build."
  else
    preset=cuda
  fi
}
