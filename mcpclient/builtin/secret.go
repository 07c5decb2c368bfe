package builtin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Files that usually hold secrets, in lower case.
var (
	secretPlaces = []string{ // parts of paths
		"/.ssh", "/.aws", "/.gnupg", "/.azure", "/.kube", "/.password-store", "/.config/gcloud", "/.local/share/keyrings",
		"/.docker/config.json", "/.config/gh/hosts.yml",
	}
	secretFiles = []string{
		".env", ".env.*", "*.env", ".envrc",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks",
		"*.keystore", "*.kdbx", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd",
		".git-credentials", ".dockercfg", ".vault-token", "credentials", "credentials.json", "credentials.toml",
		"credentials.y*ml", "credentials.ini", "credentials.csv", "credentials.xml", "*_credentials.json",
		"client_secret*.json", "secrets.json", "secrets.toml", "secrets.y*ml",
		".*_history", "fish_history", "consolehost_history.txt", ".histfile",
	}
	harmlessFiles = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub"}
)

// isAny reports whether a name matches one of the patterns.
func isAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// holdsSecrets reports whether a file usually holds secrets, or would if it existed, even if name leads to it through
// links, differs in letter case or is a short name on Windows.
func (f folder) holdsSecrets(name string) bool { return f.isSecret(f.full(name)) }

func (f folder) isSecret(full string) bool {
	if f.isSecretPath(full) {
		return true
	}
	real := resolve(full)
	return f.isSecretPath(real) || f.isSecretPath(trueName(real, resolve(f.root.Name())))
}

// resolve returns a full path with links resolved, as far as it exists. Files that do not exist can be created.
func resolve(full string) string {
	for missing := ""; ; {
		real, err := filepath.EvalSymlinks(full)
		parent := filepath.Dir(full)
		if err == nil || parent == full {
			return filepath.Join(cmp.Or(real, full), missing)
		}
		full, missing = parent, filepath.Join(filepath.Base(full), missing)
	}
}

// isSecretPath reports whether a file with this full path usually holds secrets.
func (f folder) isSecretPath(full string) bool {
	full = strings.ToLower(filepath.ToSlash(full))
	if name := path.Base(full); isAny(secretFiles, name) && !isAny(harmlessFiles, name) {
		return true
	}
	leadsThrough := func(place string) bool { return strings.Contains(full+"/", place+"/") }
	own := func(place string) bool { return strings.HasPrefix(full+"/", place+"/") }
	return slices.ContainsFunc(secretPlaces, leadsThrough) || slices.ContainsFunc(f.own, own)
}

// trueName returns a full path as listed by the folders below root. Some file systems find a file by other names, too.
func trueName(full, root string) string {
	parent := filepath.Dir(full)
	if full == root || parent == full {
		return full
	}
	parent, name := trueName(parent, root), filepath.Base(full)
	this, _ := os.Lstat(full)
	dir, _ := os.Open(parent) // nil has no entries
	defer dir.Close()
	entries, _ := dir.ReadDir(maxSearched)
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
		for _, e := range entries {
			if info, err := e.Info(); err == nil && os.SameFile(info, this) {
				return filepath.Join(parent, e.Name())
			}
		}
	}
	return filepath.Join(parent, name)
}

// realPaths returns the paths, with and without links resolved, in the form that isSecretPath compares.
func realPaths(paths []string) (all []string) {
	for _, p := range paths {
		if full, err := filepath.Abs(p); err == nil {
			for _, p := range []string{full, resolve(full)} {
				all = append(all, strings.ToLower(filepath.ToSlash(p)))
			}
		}
	}
	return all
}

// Caution returns a reason to ask the user before a call, whatever else is allowed, such as `".env" usually holds
// secrets`. It returns "" if the call needs no question.
func (f folder) Caution(tool string, given json.RawMessage) string {
	name, err := f.file(parse(given))
	if err != nil || !slices.Contains([]string{"read_file", "write_file", "edit_file"}, tool) || !f.holdsSecrets(name) {
		return ""
	}
	return fmt.Sprintf("%q usually holds secrets", sanitize.Clip(name, 200))
}
