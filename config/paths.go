package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aloudchat/aloud/atomicfile"
)

// Path is where the file is looked for when --config does not name one: ALOUD_CONFIG, else config.toml in the aloud
// folder of $XDG_CONFIG_HOME, which is ~/.config unless set (also on macOS, as terminal programs do there) and
// %APPDATA% on Windows.
func Path(env func(string) (string, bool)) (string, error) {
	if p, _ := env("ALOUD_CONFIG"); p != "" {
		return p, nil
	}
	dir, err := Dir(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.toml"), nil
}

// Dir is the folder of the file that is used when nothing names another.
func Dir(env func(string) (string, bool)) (string, error) {
	return folder(env, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

// StateDir is the folder of what aloud remembers itself: sessions, the inputs of earlier chats, the model used last.
// It is the aloud folder of $XDG_STATE_HOME, which is ~/.local/state unless set and %LOCALAPPDATA% on Windows.
func StateDir(env func(string) (string, bool)) (string, error) {
	return folder(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA")
}

func folder(env func(string) (string, bool), xdg, unix, windows string) (string, error) {
	// The XDG specification says to ignore relative paths.
	if dir, _ := env(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aloud"), nil
	}
	if runtime.GOOS == "windows" {
		if dir, _ := env(windows); dir != "" {
			return filepath.Join(dir, "aloud"), nil
		}
	}
	home := home(env)
	if home == "" {
		return "", fmt.Errorf("the home folder is not known; set %s to its full path, or %s", homeVariable(), xdg)
	}
	return filepath.Join(home, unix, "aloud"), nil
}

// home is the full path of the home folder. A relative one would be another folder wherever we are started.
func home(env func(string) (string, bool)) string {
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

// LastModel is the model of a provider that was used last, "" when none is known.
func LastModel(stateDir, provider string) string {
	if stateDir == "" {
		return "" // the current folder is not ours to look into
	}
	data, err := os.ReadFile(lastModelFile(stateDir, provider))
	if err != nil || len(data) > 1024 {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// RememberModel stores the name for the next LastModel, unless stateDir is "".
func RememberModel(stateDir, provider, name string) error {
	if stateDir == "" {
		return nil
	}
	return atomicfile.Write(lastModelFile(stateDir, provider), []byte(name+"\n"))
}

// lastModelFile is a file for each provider: each has models of its own.
func lastModelFile(stateDir, provider string) string {
	name := "model"
	if provider != "ollama" {
		name += "-" + url.PathEscape(provider)
	}
	return filepath.Join(stateDir, name)
}
