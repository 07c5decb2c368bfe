#!/usr/bin/env bash
# Builds the Ollama server for the end-to-end tests, once, into a cache outside the checkout, and prints the path of the
# program.
#
#   e2e/build-ollama.sh
#
# This release is the last one that includes its CPU engine, so it needs only Go, a C++ compiler and three sets of
# headers. It installs nothing and needs no root. It takes about six minutes on two cores. ALOUD_E2E_CACHE overrides
# ~/.cache/aloud-e2e.
set -euo pipefail

version=v0.24.0
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/ollama-$version
program=$home/bin/ollama
fast=$home-avx2 # the same program with another engine beside it, where it looks for one
engine=$fast/lib/ollama/libggml-cpu-haswell.so

say() { printf 'build-ollama: %s\n' "$*" >&2; }

# The engine in the program uses no AVX, and reads seven tokens a second with a real model of 135 million weights. The
# one with AVX2 reads more than a hundred. Ollama uses it only on a machine that has the instructions. It is only for real
# models: with it, the small model of the other tests writes so fast that a reply that is stopped often hangs Ollama.
can_be_fast() { [ "$(uname -sm)" = 'Linux x86_64' ] && grep -qw avx2 /proc/cpuinfo; }

wants_engine() { can_be_fast && [ ! -e "$engine" ]; }

if [ -x "$program" ] && ! wants_engine; then
  echo "$program"
  exit
fi
for tool in go cc c++; do
  command -v "$tool" >/dev/null || { say "\"$tool\" is missing: install Go, a C and a C++ compiler"; exit 1; }
done

mkdir -p "$home"
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT

# module NAME@VERSION downloads a module and prints its folder.
module() { (cd "$work" && go mod download -json "$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); }

# A Go module omits folders called vendor, which had the headers of nlohmann/json, stb and miniaudio.
have() { printf '#include <%s>\n' "$1" | CPLUS_INCLUDE_PATH=$work/include c++ -E -x c++ - >/dev/null 2>&1; }

build_program() {
  mkdir "$work/bin" "$work/include"
  if ! have nlohmann/json.hpp || ! have stb/stb_image.h; then
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
      say 'two header packages are missing: install nlohmann-json and stb, for example with Homebrew or dnf'
      exit 1
    fi
    say 'fetching the headers of nlohmann-json3-dev and libstb-dev'
    (cd "$work" && apt-get -o APT::Sandbox::User=root download -qq nlohmann-json3-dev libstb-dev >&2) ||
      { say 'apt-get could not fetch nlohmann-json3-dev and libstb-dev: run "apt-get update" first'; exit 1; }
    for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/packages"; done
    cp -r "$work"/packages/usr/include/{nlohmann,stb} "$work/include/"
  fi
  if ! have miniaudio/miniaudio.h; then
    mkdir "$work/include/miniaudio"
    cp "$(module github.com/gen2brain/malgo@v0.11.24)/miniaudio.h" "$work/include/miniaudio/"
  fi
  say "building Ollama $version, which takes some minutes"
  (cd "$work" && CGO_ENABLED=1 CPLUS_INCLUDE_PATH=$work/include GOBIN=$work/bin GOFLAGS= go install -trimpath \
    -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" "github.com/ollama/ollama@$version") >&2
  # The first build to finish moves its folder into place. A second one running at the same time keeps it.
  [ -e "$home/bin" ] || mv "$work/bin" "$home/bin"
  say "built $program"
}

# compile SOURCE compiles one file of the engine. xargs runs it in a shell of its own.
compile() {
  local compiler=(cc -std=gnu11)
  [[ $1 != *.cpp ]] || compiler=(c++ -std=c++17)
  "${compiler[@]}" -w -O3 -fPIC -mavx -mavx2 -mfma -mf16c -msse4.2 -DNDEBUG -D_GNU_SOURCE -DGGML_USE_LLAMAFILE \
    '-DGGML_VERSION="0x0"' '-DGGML_COMMIT="0x0"' -DGGML_BACKEND_DL -DGGML_BACKEND_SHARED -DGGML_BACKEND_BUILD \
    -DGGML_SHARED -DGGML_BUILD -DGGML_AVX -DGGML_AVX2 -DGGML_FMA -DGGML_F16C -DGGML_SSE42 \
    -I. -I../include -Iggml-cpu -Iggml-cpu/amx -Iggml-cpu/llamafile -c "$1" -o "$objects/${1//\//_}.o"
}

build_engine() {
  local sources
  sources=$(module "github.com/ollama/ollama@$version")/ml/backend/ggml/ggml/src
  objects=$work/objects
  mkdir "$objects"
  export -f compile
  export objects
  say 'building its faster engine, which takes a minute'
  (cd "$sources" && printf '%s\n' ggml.c{,pp} ggml-{alloc,quants}.c ggml-{backend,threading}.cpp gguf.cpp \
    ggml-cpu/*.c{,pp} ggml-cpu/{arch/x86,amx,llamafile}/*.c* |
    xargs -P "$(nproc)" -I '{}' bash -c 'compile {}') >&2
  c++ -shared -o "$work/engine.so" "$objects"/*.o -lpthread -lm
  mkdir -p "$fast/bin" "$(dirname "$engine")"
  cp "$program" "$work/ollama"
  mv "$work/ollama" "$fast/bin/ollama" # at once: another test may be using one
  mv "$work/engine.so" "$engine"
  say "built $engine"
}

[ -x "$program" ] || build_program
if wants_engine; then build_engine; fi
echo "$program"
