package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/status"
)

// The packages do not know each other: what one has words for the other must let people choose.
func TestEveryMotionCanBeConfigured(t *testing.T) {
	load := func(line string) *config.Config {
		t.Helper()
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte("[status]\n"+line), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.LoadOptions{Path: path, Env: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, motion := range []status.Motion{status.MotionFull, status.MotionReduced, status.MotionNone} {
		if got := load("motion = '" + string(motion) + "'").Status.Motion; got != string(motion) {
			t.Errorf("%s is %s", motion, got)
		}
	}
	if c := load(""); status.Motion(c.Status.Motion) != status.MotionFull {
		t.Errorf("the defaults are %+v", c.Status)
	}
}

func TestAVariableSwitchesOnWithAnyValueThatDoesNotSayNo(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "false": false, " No ": false, "off": false, "1": true, "true": true, "screen reader": true} {
		if isOn(value) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}
