#!/usr/bin/env bash
# Builds the Ollama server for the end-to-end tests, once, into a cache outside the checkout, and prints the path of the
# program.
#
#   e2e/build-ollama.sh
#
# This release is the last one that includes its CPU engine, so it needs only Go, a C++ compiler and three sets of
# headers. It installs nothing and needs no root. It takes about five minutes on two cores. ALOUD_E2E_CACHE overrides
# ~/.cache/aloud-e2e.
set -euo pipefail

version=v0.24.0
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/ollama-$version

say() { printf 'build-ollama: %s\n' "$*" >&2; }

if [ -x "$home/bin/ollama" ]; then
  echo "$home/bin/ollama"
  exit
fi
for tool in go cc c++; do
  command -v "$tool" >/dev/null || { say "\"$tool\" is missing: install Go, a C and a C++ compiler"; exit 1; }
done

mkdir -p "$cache"
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/include"

# A Go module omits folders called vendor, which had the headers of nlohmann/json, stb and miniaudio.
have() { printf '#include <%s>\n' "$1" | CPLUS_INCLUDE_PATH=$work/include c++ -E -x c++ - >/dev/null 2>&1; }
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
  malgo=$(cd "$work" && go mod download -json github.com/gen2brain/malgo@v0.11.24 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  mkdir "$work/include/miniaudio"
  cp "$malgo/miniaudio.h" "$work/include/miniaudio/"
fi

say "building Ollama $version, which takes some minutes"
(cd "$work" && CGO_ENABLED=1 CPLUS_INCLUDE_PATH=$work/include GOBIN=$work/bin GOFLAGS= go install -trimpath \
  -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" "github.com/ollama/ollama@$version") >&2

# The first build to finish moves its folder into place. A second one running at the same time keeps it.
mkdir -p "$home"
[ -e "$home/bin" ] || mv "$work/bin" "$home/bin"
say "built $home/bin/ollama"
echo "$home/bin/ollama"
