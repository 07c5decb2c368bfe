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
	return run(ctx, arguments)
}

// run makes the pictures with these names, or all.
func run(ctx context.Context, names []string) error {
	var scenes []picture
	into := folder
	switch {
	case slices.Equal(names, []string{"scenes"}):
		scenes, into = shown(), scenesFolder
	case len(names) > 1 && names[0] == "looks":
		scenes, into = looks(names[2:]), names[1]
	}
	if len(scenes) > 0 {
		return takeScenes(ctx, scenes, into)
	}
	isFilm := slices.Equal(names, []string{film.name})
	for _, name := range names {
		if !isFilm && !slices.ContainsFunc(album, func(p picture) bool { return p.name == name }) {
			return fmt.Errorf("there is no picture %q; see album.go for their names", name)
		}
	}
	dir, err := os.MkdirTemp("", "aloud-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	scripts := tinymodel.Pictures()
	if isFilm { // the message in the film names no script
		scripts[tinymodel.Fallback] = scripts[film.name]
	}
	s, err := openStudio(ctx, dir, scripts)
	if err != nil {
		return err
	}
	defer s.server.Stop()
	if isFilm {
		return s.record(ctx)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var failed []error
	for _, p := range album {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		if err := s.take(ctx, p); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		fmt.Println(filepath.Join(folder, p.name+".svg"))
	}
	return errors.Join(failed...)
}

// studio has the parts that all pictures share.
type studio struct {
	dir    string
	aloud  string
	self   string // this program, which is the MCP server too
	server *ollama.Server
}

func openStudio(ctx context.Context, dir string, scripts map[string]tinymodel.Script) (*studio, error) {
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
	if s.server, err = ollama.Start(ctx, strings.TrimSpace(string(program)), dir); err != nil {
		return nil, err
	}
	if err := s.addModels(ctx, scripts); err != nil {
		s.server.Kill()
		return nil, err
	}
	return s, nil
}

// addModels makes the models that play the scripts, in place of earlier ones.
func (s *studio) addModels(ctx context.Context, scripts map[string]tinymodel.Script) error {
	var model bytes.Buffer
	if err := tinymodel.Write(&model, scripts); err != nil {
		return err
	}
	return s.server.AddModels(ctx, model.Bytes(), tinymodel.Variants()...)
}

// take makes one picture and writes it.
func (s *studio) take(ctx context.Context, p picture) error {
	rows, at, err := s.shoot(ctx, p)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, p.name+".svg"), darkPaper.svg(p.crop(rows, at), words(rows[at])), 0o644)
}

// shoot plays a picture, and returns the screen and the row that the picture shows.
func (s *studio) shoot(ctx context.Context, p picture) (rows [][]terminal.Cell, at int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	m, err := s.newMachine(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	defer m.proxy.Close()
	var background color.Color = color.Black
	if p.look == "light" {
		background = color.White
	}
	term, err := terminal.StartOn(m.command(ctx, p.arguments...), p.columns(), p.lines(), background)
	if err != nil {
		return nil, 0, err
	}
	defer term.Close(ctx)
	if _, err := await(ctx, term, "Ask anything"); err != nil {
		return nil, 0, err
	}
	for _, act := range p.acts {
		if err := perform(ctx, term, act); err != nil {
			return nil, 0, err
		}
	}
	if at, err = await(ctx, term, p.sees); err != nil {
		return nil, 0, err
	}
	return calm(term.Cells()), at, nil
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
	if _, err := await(ctx, term, literal(seen)); err != nil {
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
