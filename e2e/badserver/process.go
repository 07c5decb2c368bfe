package badserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is the server as a process. Its last argument marks the processes of a test.
type process struct {
	mode   Mode
	args   []string // the arguments of the program, including the name of the mode
	mu     sync.Mutex
	out    io.Writer
	err    io.Writer
	status int
	said   int // lines
}

// A step handles a request and returns what happens next.
type step func(p *process, q question) after

type after int

const (
	usually after = iota // responds as usual
	silent               // does not respond
	ends                 // exits with the status
	hangs                // stops reading forever
)

// Main runs the mode named by the arguments, and returns the exit status. program is the command for a child, without
// the name of the mode.
func Main(program []string, args []string) int {
	mode, err := Find(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "badserver:", err)
		return 2
	}
	p := &process{mode: mode, args: append(program, args...), out: os.Stdout, err: os.Stderr}
	if mode.start != nil {
		mode.start(p)
	}
	if p.status != 0 {
		return p.status
	}
	p.serve(os.Stdin)
	return p.status
}

func (p *process) serve(stdin io.Reader) {
	in := bufio.NewScanner(stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var q question
		_ = json.Unmarshal(in.Bytes(), &q) // invalid input becomes a message without a method
		q.secret = os.Getenv(SecretVariable)
		next := usually
		if step, ok := p.mode.at[q.Method]; ok {
			next = step(p, q)
		}
		switch {
		case next == ends:
			return
		case next == hangs:
			forever()
		case next == usually && q.isRequest():
			p.reply(q)
		}
	}
}

func (p *process) reply(q question) {
	if q.Method == callTool && p.mode.before != nil {
		p.mode.before(q, p.say)
	}
	for _, message := range p.mode.answers(q) {
		p.say(message)
	}
}

// say writes a message. It reports false if the client is gone.
func (p *process) say(message string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said++
	if p.mode.raw != nil {
		p.mode.raw(p, message)
		return true
	}
	_, err := io.WriteString(p.out, message+"\n")
	return err == nil
}

// print writes text that is not a message.
func (p *process) print(format string, values ...any) { fmt.Fprintf(p.out, format, values...) }

// child starts this program in another mode, and does not wait for it.
func (p *process) child(mode string, prepare func(*exec.Cmd)) {
	args := append([]string{}, p.args...)
	for i, arg := range args {
		if arg == p.mode.Name {
			args[i] = mode
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	prepare(cmd)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(p.err, "no child:", err)
	}
}

// exits exits with a status after writing to standard error.
func exits(status int, words string) step {
	return func(p *process, _ question) after {
		fmt.Fprint(p.err, words)
		p.status = status
		return ends
	}
}

func hang(*process, question) after { return hangs }

func ignore(*process, question) after { return silent }

// answersThen sends the correct response and continues with another step.
func answersThen(next step) step {
	return func(p *process, q question) after {
		p.reply(q)
		return next(p, q)
	}
}

// killed kills itself.
func killed(*process, question) after {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	return hangs
}

// big returns a text of the given number of megabytes.
func big(megabytes int) step {
	return func(p *process, q question) after {
		writeBig(p.out, q, megabytes)
		p.print("\n")
		return silent
	}
}

func writeBig(w io.Writer, q question, megabytes int) {
	out := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, q.ID)
	piece := strings.Repeat("x", 1<<20)
	for range megabytes {
		if _, err := out.WriteString(piece); err != nil {
			return
		}
	}
	_, _ = out.WriteString(`"}]}}`)
	_ = out.Flush()
}

// manyParts returns 20 million parts in 60 MB.
func manyParts(p *process, q question) after {
	p.print(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{}`, q.ID)
	piece := strings.Repeat(",{}", 1_000_000)
	for range 20 {
		fmt.Fprint(p.out, piece)
	}
	p.print("]}}\n")
	return silent
}

// endless writes one endless line until the client is gone.
func endless(p *process, q question) after {
	p.print(`{"jsonrpc":"2.0","id":%s,"result":"`, q.ID)
	for piece := strings.Repeat("x", 1<<20); ; {
		if _, err := io.WriteString(p.out, piece); err != nil {
			return ends
		}
	}
}

// chatters writes endless lines that are not messages.
func chatters(p *process) {
	go func() {
		for n := 0; ; n++ {
			p.mu.Lock()
			_, err := fmt.Fprintf(p.out, "debug: still here (%d)\n", n)
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// ask writes endless requests.
func (p *process) ask(method, params string) {
	for n := 0; p.say(request(fmt.Sprintf(`"ask-%d"`, n), method, params)); n++ {
	}
}

// deafToSignals ignores every signal that can be ignored.
func deafToSignals(*process) { signal.Ignore(syscall.SIGTERM, os.Interrupt) }

// forever blocks. An empty select would end the program as a deadlock.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// slowly delays the start.
func slowly(*process) { time.Sleep(150 * time.Millisecond) }
