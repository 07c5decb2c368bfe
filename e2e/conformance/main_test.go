//go:build e2e && unix

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// parts are the programs under test, and the suite.
var parts struct{ aloud, client, suite string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aloud-conformance-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = prepare(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	return m.Run()
}

func prepare(ctx context.Context, dir string) error {
	install := exec.CommandContext(ctx, "../install-conformance.sh")
	install.Stderr = os.Stderr
	place, err := install.Output()
	if err != nil {
		return fmt.Errorf("the suite is not to be had: %w", err)
	}
	parts.suite = strings.TrimSpace(string(place))
	parts.aloud, parts.client = filepath.Join(dir, "aloud"), filepath.Join(dir, "client")
	for program, folder := range map[string]string{parts.aloud: "../..", parts.client: "./client"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", program, folder)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s does not build: %s", folder, out)
		}
	}
	return nil
}

// judge is try with a suite that is content.
func judge(t *testing.T, arguments ...string) (map[string]verdict, string) {
	t.Helper()
	found, said, err := try(t, arguments...)
	if err != nil {
		t.Errorf("the suite is not content: %v", err)
	}
	return found, said
}

// try runs the suite and returns what it found, by scenario, and what it printed. The error says that it is not content.
func try(t *testing.T, arguments ...string) (found map[string]verdict, said string, err error) {
	t.Helper()
	results, home := t.TempDir(), t.TempDir()
	program := filepath.Join(parts.suite, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
	cmd := exec.CommandContext(t.Context(), filepath.Join(parts.suite, "node"), append([]string{"-r", filepath.Join(parts.suite, "loopback.cjs"), program}, append(arguments, "-o", results)...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	return verdicts(t, results), printed.String(), err
}

// verdict is how one scenario went.
type verdict struct {
	passed map[string]bool // the checks, by id; what only tells something is none
	failed []string        // with what the suite says of it, and warnings too
	folder string          // where the suite has written what went on
}

// stamp is what the suite adds to the name of a scenario.
var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

func verdicts(t *testing.T, results string) map[string]verdict {
	t.Helper()
	all := map[string]verdict{}
	err := filepath.WalkDir(results, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		folder := filepath.Dir(path)
		name, err := filepath.Rel(results, folder)
		if err != nil {
			return err
		}
		v, err := readVerdict(path)
		v.folder = folder
		all[stamp.ReplaceAllString(filepath.ToSlash(name), "")] = v
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readVerdict(path string) (verdict, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return verdict{}, err
	}
	var checks []struct {
		ID, Status, Description, ErrorMessage string
	}
	if err := json.Unmarshal(raw, &checks); err != nil {
		return verdict{}, err
	}
	v := verdict{passed: map[string]bool{}}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			v.passed[c.ID] = true
		case "INFO", "SKIPPED":
		default:
			v.failed = append(v.failed, fmt.Sprintf("%s: %s: %s %s", c.Status, c.ID, c.Description, c.ErrorMessage))
		}
	}
	return v, nil
}

// words is what a program printed in a scenario, the beginning of it.
func (v verdict) words() string {
	const most = 2000 // bytes
	var all []string
	for _, name := range []string{"stdout.txt", "stderr.txt"} {
		raw, _ := os.ReadFile(filepath.Join(v.folder, name))
		all = append(all, string(raw[:min(len(raw), most)]))
	}
	return strings.Join(all, "\n")
}
