package builtin

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// What usually holds secrets, in lower case.
var (
	secretPlaces = []string{ // files and folders, by the end of their path
		"/.ssh", "/.aws", "/.gnupg", "/.azure", "/.kube", "/.password-store", "/.config/gcloud", "/.local/share/keyrings",
		"/.docker/config.json", "/.config/gh/hosts.yml",
	}
	secretFiles = []string{
		".env", ".env.*", "*.env", ".envrc",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
		".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".dockercfg", ".vault-token",
		"credentials", "credentials.json", "credentials.toml", "credentials.y*ml", "credentials.ini", "credentials.csv", "credentials.xml",
		"*_credentials.json", "client_secret*.json", "secrets.json", "secrets.toml", "secrets.y*ml",
		".*_history", "fish_history", "consolehost_history.txt", ".histfile",
	}
	harmlessFiles = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub"}
)

// isAny reports whether a name fits one of the patterns.
func isAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// holdsSecrets reports whether the file of that name in the folder usually holds secrets. It may also be called what a
// link, the letter case or a short name of Windows makes of it.
func (f folder) holdsSecrets(name string) bool {
	full := f.full(name)
	if f.isSecretPath(full) {
		return true
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil { // there is none, or nothing that can be read
		return false
	}
	root, _ := filepath.EvalSymlinks(f.root.Name())
	return f.isSecretPath(real) || f.isSecretPath(trueName(real, root))
}

// isSecretPath reports whether a full path is one that usually holds secrets.
func (f folder) isSecretPath(full string) bool {
	full = strings.ToLower(filepath.ToSlash(full))
	if name := path.Base(full); isAny(secretFiles, name) && !isAny(harmlessFiles, name) {
		return true
	}
	leadsThrough := func(place string) bool { return strings.Contains(full+"/", place+"/") }
	own := func(place string) bool { return strings.HasPrefix(full+"/", place+"/") }
	return slices.ContainsFunc(secretPlaces, leadsThrough) || slices.ContainsFunc(f.own, own)
}

// trueName returns a full path as the folders below root list it: some file systems also find a file by other names.
func trueName(full, root string) string {
	parent := filepath.Dir(full)
	if full == root || parent == full {
		return full
	}
	parent, name := trueName(parent, root), filepath.Base(full)
	this, err := os.Lstat(full)
	dir, openErr := os.Open(parent)
	if err != nil || openErr != nil {
		return filepath.Join(parent, name)
	}
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

// realPaths returns the paths, and the same without links, as isSecretPath compares them.
func realPaths(paths []string) (all []string) {
	for _, p := range paths {
		if full, err := filepath.Abs(p); err == nil {
			all = append(all, strings.ToLower(filepath.ToSlash(full)))
			if real, err := filepath.EvalSymlinks(full); err == nil && real != full {
				all = append(all, strings.ToLower(filepath.ToSlash(real)))
			}
		}
	}
	return all
}

// Caution says in a few words why a call must be asked for, whatever else is allowed: "\".env\" usually holds secrets".
// It is "" if it need not be.
func (f folder) Caution(tool string, arguments json.RawMessage) string {
	if !slices.Contains([]string{"read_file", "write_file", "edit_file"}, tool) {
		return ""
	}
	name, err := f.file(call(tool, arguments))
	if err != nil || !f.holdsSecrets(name) {
		return ""
	}
	return fmt.Sprintf("%q usually holds secrets", sanitize.Clip(name, 200))
}

// refusal is the error of a call for a secret file where nobody can approve it.
func refusal(name string) error {
	return fmt.Errorf("%q usually holds secrets, and nobody can be asked here whether it may be used; use another file", sanitize.Clip(name, 200))
}
