#!/usr/bin/env bash
# Installs llama.cpp's server in Python and Ray Serve for the tests with other engines, once, into a cache outside the
# checkout, and prints the path of their Python. llama.cpp is compiled, which takes ten minutes on two cores.
#
#   e2e/install-engines.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

llama=0.3.36
ray=2.60.0
cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/engines-$llama-$ray

say() { printf 'install-engines: %s\n' "$*" >&2; }

if [ -x "$home/bin/python" ]; then
  echo "$home/bin/python"
  exit
fi
python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { say '"python3" is missing: install Python 3.10 or newer with venv'; exit 1; }
command -v c++ >/dev/null || { say '"c++" is missing: install a C and a C++ compiler'; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/engines.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "installing llama-cpp-python $llama and Ray $ray from PyPI"
python3 -m venv "$work"
nice "$work/bin/python" -m pip install --quiet --disable-pip-version-check \
  "llama-cpp-python[server]==$llama" "ray[serve]==$ray" >&2 ||
  { say 'pip cannot install them: check the network and the compiler'; exit 1; }

# The first installation to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work" "$home"
trap - EXIT
rm -rf "$work"
say "installed $home"
echo "$home/bin/python"
