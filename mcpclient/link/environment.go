package link

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables every server gets from us. None of them usually holds a secret.
var inherited = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
}

// inheritedOnWindows come on top there: hardly a program starts without them.
var inheritedOnWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROCESSOR_ARCHITECTURE",
	"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment is all a server's process gets to see: the inherited variables, those passed on by name, those of the configuration.
func environment(to Server) []string {
	names := slices.Concat(inherited, to.EnvVars)
	if runtime.GOOS == "windows" {
		names = append(names, inheritedOnWindows...)
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && !strings.HasPrefix(value, "()") { // a shell's functions are not passed on
			env = append(env, name+"="+value)
		}
	}
	for name, value := range to.Env {
		env = append(env, name+"="+value) // the last of a name counts
	}
	return env
}
