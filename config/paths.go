package config

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// Path returns the path of the file: the one that --config names, or else ALOUD_CONFIG, or else config.toml in Dir.
func Path(named string, env Lookup) (string, error) {
	variable, _ := env("ALOUD_CONFIG")
	if path := cmp.Or(named, variable); path != "" {
		return InHome(path, env), nil
	}
	dir, err := Dir(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.toml"), nil
}

// Dir returns the folder of the default configuration file: the aloud folder of $XDG_CONFIG_HOME, or else of
// ~/.config, also on macOS, or of %APPDATA% on Windows.
func Dir(env Lookup) (string, error) {
	return folder(env, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

// StateDir returns the folder for sessions, the input history and the model used last: the aloud folder of
// $XDG_STATE_HOME, or else of ~/.local/state, or of %LOCALAPPDATA% on Windows.
func StateDir(env Lookup) (string, error) {
	return folder(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

func folder(env Lookup, xdg, unix, windows string) (string, error) {
	// The XDG specification says to ignore relative paths.
	if dir, _ := env(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aloud"), nil
	}
	if runtime.GOOS == "windows" {
		if dir, _ := env(windows); filepath.IsAbs(dir) {
			return filepath.Join(dir, "aloud"), nil
		}
	}
	home := home(env)
	if home == "" {
		return "", fmt.Errorf("home folder unknown. Set %s or %s to a full path", homeVariable(), xdg)
	}
	return filepath.Join(home, unix, "aloud"), nil
}

// InHome replaces a leading ~ with the home folder.
func InHome(path string, env Lookup) string {
	dir := home(env)
	rest, ok := strings.CutPrefix(path, "~")
	if ok && dir != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(dir, rest)
	}
	return path
}

// home returns the home folder, or "" if its path is not absolute.
func home(env Lookup) string {
	if dir, _ := env(homeVariable()); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// LastModel returns the model used last with a provider, or "" if unknown.
func LastModel(stateDir, provider string) string {
	if stateDir == "" {
		return ""
	}
	data, _ := atomicfile.Read(lastModelFile(stateDir, provider))
	return strings.TrimSpace(string(data))
}

// RememberModel stores the name for LastModel, unless stateDir is "".
func RememberModel(stateDir, provider, name string) error {
	if stateDir == "" {
		return nil
	}
	return atomicfile.Write(lastModelFile(stateDir, provider), []byte(name+"\n"))
}

// lastModelFile returns the file for a provider. Each provider has its own models.
func lastModelFile(stateDir, provider string) string {
	name := "model"
	if provider != TypeOllama {
		name += "-" + url.PathEscape(provider)
	}
	return filepath.Join(stateDir, name)
}
