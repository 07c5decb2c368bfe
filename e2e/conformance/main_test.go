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
	suite, err := install.Output()
	if err != nil {
		return fmt.Errorf("installing the suite: %w", err)
	}
	parts.suite = strings.TrimSpace(string(suite))
	parts.aloud, parts.client = filepath.Join(dir, "aloud"), filepath.Join(dir, "client")
	for program, folder := range map[string]string{parts.aloud: "../..", parts.client: "./client"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", program, folder)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %s", folder, out)
		}
	}
	return nil
}

// runSuite runs the suite. It returns the verdicts by scenario and the output. The error reports that a scenario
// failed.
func runSuite(t *testing.T, arguments ...string) (verdicts map[string]verdict, output string, err error) {
	t.Helper()
	results, home := t.TempDir(), t.TempDir()
	program := filepath.Join(parts.suite, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
	cmd := exec.CommandContext(t.Context(), filepath.Join(parts.suite, "node"),
		"-r", filepath.Join(parts.suite, "loopback.cjs"), program)
	cmd.Args = append(append(cmd.Args, arguments...), "-o", results)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	return readVerdicts(t, results), printed.String(), err
}

// verdict is the result of a scenario.
type verdict struct {
	passed map[string]bool // checks by id
	failed []string        // failed checks and warnings with their descriptions
	dir    string          // folder of the output
}

// stamp matches the time that the suite adds to the name of a scenario.
var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

func readVerdicts(t *testing.T, results string) map[string]verdict {
	t.Helper()
	all := map[string]verdict{}
	err := filepath.WalkDir(results, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		dir := filepath.Dir(path)
		name, err := filepath.Rel(results, dir)
		if err != nil {
			return err
		}
		v, err := readVerdict(path)
		v.dir = dir
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

// output returns the beginning of the program's output in the scenario.
func (v verdict) output() string {
	const most = 2000 // bytes
	var all []string
	for _, name := range []string{"stdout.txt", "stderr.txt"} {
		raw, _ := os.ReadFile(filepath.Join(v.dir, name))
		all = append(all, string(raw[:min(len(raw), most)]))
	}
	return strings.Join(all, "\n")
}
