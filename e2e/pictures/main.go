//go:build unix

// Pictures makes the pictures of docs/status.md, the bottom of a terminal in each phase of a turn, the scenes of
// docs/ui.md, and the film of the README. The program, the Ollama server, the MCP server and the terminal are real. The
// model is a tiny one that plays scripts, and a proxy slows it down so that each phase can be seen.
//
//	go run ./e2e/pictures                    makes all of docs/status, in some minutes
//	go run ./e2e/pictures loading reading    makes some of them
//	go run ./e2e/pictures scenes             makes the scenes of docs/ui
//	go run ./e2e/pictures looks DIR          makes them in three sizes and three looks, in a folder
//	go run ./e2e/pictures film               makes the film of the README, docs/session.svg
//	go run ./e2e/pictures eval               makes the film of aloud eval with two real models, docs/eval.svg
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/terminal"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

const (
	folder   = "docs/status"
	patience = 25 * time.Second // for one pattern
)

func main() {
	if err := do(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// do runs the command in the arguments. This program is also the MCP servers of its pictures.
func do(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == serveTools:
		return serve(arguments[1])
	case slices.Equal(arguments, []string{serveNothing}):
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case slices.Equal(arguments, []string{serveShop}):
		return shop()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if slices.Equal(arguments, []string{"eval"}) {
		return recordEval(ctx)
	}
	return run(ctx, arguments)
}

// run makes the pictures with these names, or all.
func run(ctx context.Context, names []string) error {
	pictures, into, err := chosen(names)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "aloud-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := openStudio(ctx, dir, false)
	if err != nil {
		return err
	}
	defer s.server.Stop()
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	var failed []error
	for _, p := range pictures {
		file := filepath.Join(into, p.name+".svg")
		if err := s.take(ctx, p, file); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		fmt.Println(file)
	}
	return errors.Join(failed...)
}

// chosen returns the pictures that the arguments name, and their folder.
func chosen(names []string) (pictures []picture, into string, err error) {
	switch {
	case len(names) == 0:
		return album, folder, nil
	case slices.Equal(names, []string{"scenes"}):
		return shown(), "docs/ui", nil
	case slices.Equal(names, []string{"film"}):
		return []picture{film}, "docs", nil
	case len(names) > 1 && names[0] == "looks":
		return looks(names[2:]), names[1], nil
	}
	for _, name := range names {
		i := slices.IndexFunc(album, func(p picture) bool { return p.name == name })
		if i < 0 {
			return nil, "", fmt.Errorf("there is no picture %q; see album.go for their names", name)
		}
		pictures = append(pictures, album[i])
	}
	return pictures, folder, nil
}

// studio has the parts that all pictures share.
type studio struct {
	dir    string
	aloud  string
	self   string // this program, which is the MCP server too
	server *ollama.Server
}

// openStudio builds the program and starts a model server in dir, fast if real models are to run on it.
func openStudio(ctx context.Context, dir string, fast bool) (*studio, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &studio{dir: dir, self: self, aloud: filepath.Join(dir, "aloud")}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.aloud, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("aloud does not build here; run it in the folder of go.mod: %s", out)
	}
	program, err := exec.CommandContext(ctx, "e2e/build-ollama.sh").Output()
	if err != nil {
		return nil, fmt.Errorf("e2e/build-ollama.sh: %w", err)
	}
	path := strings.TrimSpace(string(program))
	if other := filepath.Join(filepath.Dir(filepath.Dir(path))+"-avx2", "bin", "ollama"); fast && exists(other) {
		path = other
	}
	s.server, err = ollama.Start(ctx, path, dir)
	return s, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// take makes one picture and writes it.
func (s *studio) take(ctx context.Context, p picture, file string) error {
	var model bytes.Buffer
	if err := tinymodel.Write(&model, p.scripts()); err != nil {
		return err
	}
	if err := s.server.AddModels(ctx, model.Bytes(), tinymodel.Variants()...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	m, err := s.newMachine(ctx, p)
	if err != nil {
		return err
	}
	defer m.proxy.Close()
	var background color.Color = color.Black
	if p.look == "light" {
		background = color.White
	}
	columns, rows := p.size()
	term, err := terminal.StartOn(m.command(ctx), columns, rows, background)
	if err != nil {
		return err
	}
	defer term.Close(ctx)
	if _, err := await(ctx, term, "Ask anything"); err != nil {
		return err
	}
	draw := p.shoot
	if p.name == film.name {
		draw = record
	}
	svg, err := draw(ctx, term)
	if err != nil {
		return err
	}
	return os.WriteFile(file, svg, 0o644)
}

// shoot plays a picture and draws it.
func (p picture) shoot(ctx context.Context, term *terminal.Terminal) ([]byte, error) {
	for _, act := range p.acts {
		if err := perform(ctx, term, act); err != nil {
			return nil, err
		}
	}
	at, err := await(ctx, term, p.sees)
	if err != nil {
		return nil, err
	}
	rows := calm(term.Cells())
	switch {
	case p.script == "":
		return darkPaper.svg(p.crop(rows, at), words(rows[at])), nil
	case p.look == "light":
		return lightPaper.svg(rows, "The scene "+p.name), nil
	}
	return darkPaper.svg(rows, "The scene "+p.name), nil
}

// perform waits for the pattern of an act and presses its keys. It presses return once the text is on the screen.
func perform(ctx context.Context, term *terminal.Terminal, a act) error {
	if a.after != "" {
		if _, err := await(ctx, term, a.after); err != nil {
			return err
		}
	}
	if err := term.Type(a.keys); err != nil {
		return err
	}
	if a.enter == "" {
		return nil
	}
	if err := term.Type(a.enter); err != nil {
		return err
	}
	seen := a.enter
	if strings.HasPrefix(seen, pasted) {
		seen = "Pasted text"
	}
	if _, err := await(ctx, term, regexp.QuoteMeta(seen)); err != nil {
		return err
	}
	return term.Type("\r")
}

// await waits for the pattern and returns its row.
func await(ctx context.Context, term *terminal.Terminal, pattern string) (row int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	find, err := finder(pattern)
	if err != nil {
		return 0, err
	}
	screen, ok := term.WaitFor(ctx, func(screen string) bool { return find(screen) >= 0 })
	if !ok {
		return 0, errors.New("the screen never shows " + pattern + ":\n" + screen)
	}
	return find(screen), nil
}
