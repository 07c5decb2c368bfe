#!/usr/bin/env bash
# Installs MCP servers of seven SDKs for the tests with the tag engines, once, into a cache outside the checkout, and
# prints their folder. Every version is pinned here. The reference servers of npm are in install-servers.sh.
#
#   e2e/install-more-servers.sh
#
# ALOUD_E2E_CACHE overrides ~/.cache/aloud-e2e.
set -euo pipefail

npm=(@playwright/mcp@0.0.83)
python=(mcp-server-git==2026.10.19 mcp-server-time==2026.10.19 excel-mcp-server==2.2.2 mcp==2.3.0)
fastmcp=(fastmcp-sample-server==0.4.1 fastmcp==4.2.3)
old=(excel-mcp-server==0.1.8 mcp==1.10.1 pydantic==2.11.7) # mcp 1.10 needs internals of that pydantic
go=(github.com/modelcontextprotocol/go-sdk/examples/server/memory@v1.8.0
  github.com/mark3labs/mcp-go/examples/everything@v1.2.1)
rust=rust-mcp-filesystem@0.4.5
java=io.modelcontextprotocol.sdk:mcp:2.1.0

cache=${ALOUD_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aloud-e2e}
home=$cache/servers-$(cksum <"$0" | cut -d' ' -f1) # another folder for other versions

say() { printf 'install-more-servers: %s\n' "$*" >&2; }

if [ -d "$home" ]; then
  echo "$home"
  exit
fi
for tool in node npm go cargo java mvn; do
  command -v "$tool" >/dev/null || { say "\"$tool\" is missing: install it first"; exit 1; }
done
python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { say '"python3" is missing: install Python 3.10 or newer with venv'; exit 1; }

mkdir -p "$cache"
work=$(mktemp -d "$cache/servers.XXXXXX")
trap 'rm -rf "$work"' EXIT

# venv NAME PACKAGE… installs Python packages into an environment of their own.
venv() {
  say "installing ${*:2} from PyPI"
  python3 -m venv "$work/$1"
  "$work/$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}" >&2
}

venv python "${python[@]}"
venv fastmcp "${fastmcp[@]}"
venv old "${old[@]}"

say "installing ${npm[*]} from npm"
npm install --prefix "$work" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "${npm[@]}" >&2

say "building ${go[*]}"
for package in "${go[@]}"; do GOBIN=$work/bin go install "$package" >&2; done

say "building $rust"
CARGO_TARGET_DIR=$work/target cargo install --quiet --debug --locked --root "$work" "$rust" >&2
rm -rf "$work/target"

say "installing $java from Maven Central"
IFS=: read -r group artifact version <<<"$java"
cat >"$work/pom.xml" <<EOF
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>aloud</groupId><artifactId>words</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
EOF
mvn --quiet --batch-mode --file "$work/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory="$work/java" >&2

# The first installation to finish moves its folder into place. A second one keeps it.
[ -e "$home" ] || mv "$work" "$home"
trap - EXIT
rm -rf "$work"
say "installed $home"
echo "$home"
