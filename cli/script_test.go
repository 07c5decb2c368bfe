package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aloudchat/aloud/cli"
)

func TestMain(m *testing.M) {
	aloud := func() { os.Exit(cli.Run("")) }
	testscript.Main(m, map[string]func(){"aloud": aloud, "bad-server": badServer, "gallery": gallery, "web": goTo})
}

// TestScripts runs the scripts in testdata/script: the program as you or a script uses it.
func TestScripts(t *testing.T) { testscript.Run(t, scripts(filepath.Join("testdata", "script"))) }

// scripts returns the parameters to run the scripts in a folder. Each script starts with an empty home.
func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state"))
			env.Setenv("TERM", "xterm-256color")
			env.Values[vaultKey{}] = new(vaultServers)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exec-code":     execCode,
			"model-server":  modelServer,
			"openai-server": openAIServer,
			"long-file":     longFile,
			"at-most":       atMost,
			"on-terminal":   onTerminal,
			"vault":         vault,
			"paste-login":   pasteLogin,
		},
	}
}

// atMost checks the size of all files of a folder in megabytes: at-most 10 FOLDER
func atMost(ts *testscript.TestScript, _ bool, args []string) {
	most, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	files, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Size() > most<<20 {
			ts.Fatalf("%q has more than %d MB: %v", f.Name(), most, err)
		}
	}
}

// execCode runs a command and checks its exit code: exec-code 3 aloud …
func execCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// longFile writes a repeated text to a file: long-file NAME TIMES TEXT
func longFile(ts *testscript.TestScript, _ bool, args []string) {
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(args[2], times)), 0o600))
}
