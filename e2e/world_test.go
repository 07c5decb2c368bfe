//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// waitLimit is how long a test waits. On an idle machine everything takes less than a second.
const waitLimit = 3 * time.Minute

// A world is the home of a user, with a configuration file and a proxy for the model server.
type world struct {
	t        testing.TB
	home     string
	traffic  *traffic
	settings string   // more keys of the configuration; set it before configure
	environ  []string // more variables
}

// newWorld configures the tiny model and the servers clock, everything and notes, each with the tools that the
// scripts use. The home has one file, notes/todo.txt.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), traffic: newTraffic(t, parts.server.URL)}
	w.write("notes/todo.txt", "buy milk\n")
	w.configure(w.traffic.URL, w.everything()+w.notes())
	t.Cleanup(func() { w.checkNoProcesses() })
	return w
}

// write writes a file into the home and returns its path.
func (w *world) write(name, text string) string {
	w.t.Helper()
	file := filepath.Join(w.home, name)
	must(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(w.t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func (w *world) configFile() string { return filepath.Join(w.home, "config.toml") }

// configure writes the configuration: the tiny model at host, the built-in server clock, and more tables.
func (w *world) configure(host, more string) {
	w.t.Helper()
	w.write("config.toml", fmt.Sprintf(`model = %q
host = %q
mcp_servers.files.enabled = false
mcp_servers.fetch.enabled = false
%s
`, tinymodel.Full, host, w.settings)+more)
}

// everything returns the table of the reference server server-everything.
func (w *world) everything() string {
	return w.stdio("everything", "stdio") + "enabled_tools = [\"echo\", \"get-sum\", \"trigger-long-running-operation\"]\n"
}

// notes returns the table of the reference server for files, in the folder notes.
func (w *world) notes() string {
	return w.stdio("filesystem", filepath.Join(w.home, "notes")) + "enabled_tools = [\"read_text_file\", \"write_file\"]\n"
}

// stdio returns the table of a reference server. Its last argument is the home, which identifies its process.
func (w *world) stdio(server string, args ...string) string {
	name := server
	if server == "filesystem" {
		name = "notes"
	}
	args = append([]string{serverProgram(server)}, args...)
	if server != "filesystem" {
		args = append(args, w.home)
	}
	list, err := json.Marshal(args)
	must(w.t, err)
	return fmt.Sprintf("\n[mcp_servers.%s]\ncommand = \"node\"\nargs = %s\ntrusted = true\n", name, list)
}

// serverProgram returns the path of a reference server.
func serverProgram(server string) string {
	return filepath.Join(parts.nodeModules, "@modelcontextprotocol", "server-"+server, "dist", "index.js")
}

// command returns aloud with arguments, running in the home with a clean environment.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, parts.aloud, append([]string{"--config", w.configFile()}, args...)...)
	cmd.Dir = w.home
	cmd.Env = append([]string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"COLORTERM=truecolor", "XDG_STATE_HOME=" + filepath.Join(w.home, "state")}, w.environ...)
	return cmd
}

// waitForSession waits until a saved conversation contains text. The screen has shown that text, too.
func (w *world) waitForSession(text string) {
	w.t.Helper()
	found := eventually(func() bool {
		files, _ := filepath.Glob(filepath.Join(w.home, "state", "aloud", "sessions", "*")) // the pattern is valid
		return slices.ContainsFunc(files, func(file string) bool {
			kept, _ := os.ReadFile(file) // it may not exist yet
			return strings.Contains(string(kept), text)
		})
	})
	if !found {
		w.t.Fatalf("no saved conversation has %q", text)
	}
}

// An outcome is the result of a command.
type outcome struct {
	stdout, stderr string
	code           int // -1 after a signal
}

// run runs aloud to its end.
func (w *world) run(args ...string) outcome {
	w.t.Helper()
	return w.start(args...).wait()
}

// ask runs aloud with -p and --output json.
func (w *world) ask(question string, args ...string) (result, outcome) {
	w.t.Helper()
	out := w.run(append(args, "--output", "json", "-p", question)...)
	return parseResult(w.t, out), out
}

// A running command has its output in pipes, as in a script.
type running struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	cancel         context.CancelFunc
}

func (w *world) start(args ...string) *running {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), waitLimit)
	r := &running{t: w.t, cmd: w.command(ctx, args...), cancel: cancel}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(w.t, r.cmd.Start())
	return r
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	must(r.t, r.cmd.Process.Signal(s))
}

func (r *running) wait() outcome {
	r.t.Helper()
	defer r.cancel()
	_ = r.cmd.Wait() // the exit code reports it
	return outcome{r.stdout.String(), r.stderr.String(), r.cmd.ProcessState.ExitCode()}
}

// A result is the object of --output json.
type result struct {
	Answer  string `json:"answer"`
	Model   string `json:"model"`
	Session string `json:"session"`
	Stop    struct {
		Reason string `json:"reason"`
		Detail string `json:"detail"`
		Limit  any    `json:"limit"`
	} `json:"stop"`
	Rounds    int    `json:"rounds"`
	ToolCalls []call `json:"tool_calls"`
	Usage     struct {
		ContextSize int `json:"context_size"`
	} `json:"usage"`
}

type call struct {
	Name    string   `json:"name"`
	Server  string   `json:"server"`
	Title   string   `json:"title"`
	Status  string   `json:"status"`
	Error   string   `json:"error"`
	Result  string   `json:"result"`
	Repairs []string `json:"repairs"`
}

// String keeps the messages of failed tests short.
func (c call) String() string {
	return fmt.Sprintf("%s: %s %.300q %q", c.Name, c.Status, c.Result, c.Repairs)
}

func parseResult(t testing.TB, out outcome) (r result) {
	t.Helper()
	if err := json.Unmarshal([]byte(out.stdout), &r); err != nil {
		t.Fatalf("--output json printed no object: %v\nstdout: %s\nstderr: %s", err, out.stdout, out.stderr)
	}
	return r
}

// statuses returns the statuses of the calls in order.
func (r result) statuses() string {
	var list []string
	for _, call := range r.ToolCalls {
		list = append(list, call.Status)
	}
	return strings.Join(list, " ")
}

// checkNoProcesses checks that no process of this world is left.
func (w *world) checkNoProcesses() {
	w.t.Helper()
	var left []string
	gone := eventually(func() bool {
		left = w.processes()
		return len(left) == 0
	})
	if !gone {
		w.t.Errorf("processes left:\n%s", strings.Join(left, "\n"))
	}
}

// processes returns the command lines of the processes with the home in their arguments.
func (w *world) processes() []string {
	w.t.Helper()
	out, err := exec.Command("ps", "-axww", "-o", "pid=,args=").Output()
	if err != nil {
		w.t.Fatalf("ps: %v", err)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, w.home) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// eventually polls done and reports whether it became true in time. Use it for changes that send no event, such as
// those of other processes.
func eventually(done func() bool) bool {
	deadline := time.After(waitLimit)
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for !done() {
		select {
		case <-poll.C:
		case <-deadline:
			return done()
		}
	}
	return true
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
