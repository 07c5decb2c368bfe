#!/usr/bin/env bash
# Writes what a release has besides the program: completions, manual pages and notes. goreleaser runs it first.
#
#   scripts/release-files.sh VERSION    # into release/
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
md2man=github.com/cpuguy83/go-md2man/v2@v2.0.7
rm -rf release
mkdir -p release/completions release/man

# The notes are the section of CHANGELOG.md, with one line per paragraph and links that work outside the repository. A
# snapshot of a repository without tags has the newest section.
section="## ${version%%-*}"
[[ $version != 0.0.0-* ]] || section='##'
if ! heading=$(grep -m1 -E "^$section( |$)" CHANGELOG.md) || [[ $version != *-* && $heading == *unreleased* ]]; then
  echo "CHANGELOG.md has no section \"$section\" with a date: write it, then release" >&2
  exit 1
fi
awk -v heading="$heading" '
  /^## / { wanted = $0 == heading; next }
  !wanted { next }
  /^ *[^ #*-]/ && last && last !~ /^#/ { sub(/^ */, ""); printf " %s", $0; next }
  { printf "\n%s", last = $0 }
  END { print "" }
' CHANGELOG.md |
  sed -E -e '/./,$!d' \
    -e "s#\]\((docs/|README)#](https://github.com/aloudchat/aloud/blob/v$version/\1#g" >release/notes.md

go build -ldflags "-X main.version=$version" -o release/aloud .
release/aloud completion bash >release/completions/aloud.bash
release/aloud completion zsh >release/completions/_aloud
release/aloud completion fish >release/completions/aloud.fish
release/aloud completion powershell >release/completions/aloud.ps1

release/aloud man | awk '/^\.TH / { page = "release/man/" tolower($2) ".1" } { print >page }'
rm release/aloud

# The page of the configuration file is its document, with the name first, tables as lists and links as text.
sed -E -e '1c % ALOUD-CONFIG 5\n\n# NAME\naloud-config - the configuration file of aloud\n\n# DESCRIPTION' \
  -e '/^\| *[^` ]|^\|-/d' -e 's/^\| (.*) \| (.*) \| none \| (.*) \|$/\n\1 (\2)\n: \3/' \
  -e 's/^\| (.*) \| (.*) \| (.*) \| (.*) \|$/\n\1 (\2, default \3)\n: \4/' -e 's/^\| (.*) \| (.*) \|$/\n\1\n: \2/' \
  -e 's/\[([^]]*)\]\([^)]*\.md[^)]*\)/\1/g' docs/configuration.md | go run "$md2man" >release/man/aloud-config.5
gzip -9n release/man/*
