package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// head reads Info from the start of a file.
func (s *Store) head(id string) (Info, error) {
	h, err := s.read(id, mostHead)
	if err != nil {
		return Info{}, err
	}
	if h.info.Size > headSize {
		return h.about(id, nil), nil
	}
	return h.about(id, h.valid()), nil
}

// List returns all sessions, the newest first. The error names the files that could not be read.
func (s *Store) List() ([]Info, error) { return s.all(s.head) }

// Remove deletes a session. id may be a unique prefix. The error matches ErrInUse if another process writes the
// session.
func (s *Store) Remove(id string) error {
	if id == "" {
		return errors.New("no conversation named. See: aloud sessions list")
	}
	id, err := s.find(id)
	if err != nil {
		return err
	}
	f, err := openLocked(s.path(id), id)
	if errors.Is(err, ErrInUse) {
		return err
	}
	if err == nil {
		f.Close() // Windows cannot remove open files
	}
	_ = os.Remove(s.namePath(id)) // there may be none
	if err := os.Remove(s.path(id)); err != nil {
		return fmt.Errorf("cannot remove conversation %q: %w", id, atomicfile.Cause(err))
	}
	return nil
}

// find returns the id with a unique prefix, or the session changed last for "".
func (s *Store) find(prefix string) (string, error) {
	infos, err := s.all(s.changed)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", errors.New("no saved conversations yet. Start one with: aloud")
	}
	if slices.ContainsFunc(infos, func(i Info) bool { return i.ID == prefix }) {
		return prefix, nil
	}
	fitting := slices.DeleteFunc(infos, func(i Info) bool { return !strings.HasPrefix(i.ID, prefix) })
	switch {
	case len(fitting) == 0:
		return "", fmt.Errorf("no conversation starts with %q. See: aloud sessions list", prefix)
	case len(fitting) == 1 || prefix == "":
		return fitting[0].ID, nil
	default:
		return "", fmt.Errorf("%d conversations start with %q, among them %q and %q. Use a longer ID",
			len(fitting), prefix, fitting[0].ID, fitting[1].ID)
	}
}

// changed returns only when a session was changed.
func (s *Store) changed(id string) (Info, error) {
	stat, err := os.Stat(s.path(id))
	if err != nil {
		return Info{}, err
	}
	return Info{ID: id, Changed: stat.ModTime()}, nil
}

// all describes all sessions, the newest first, with up to eight calls of describe at the same time.
func (s *Store) all(describe func(id string) (Info, error)) ([]Info, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read folder %q: %w", s.dir, atomicfile.Cause(err))
	}
	const most = 8
	infos, errs := make([]Info, len(entries)), make([]error, len(entries))
	var wait sync.WaitGroup
	for first := range most {
		wait.Go(func() {
			for i := first; i < len(entries); i += most {
				id, ok := strings.CutSuffix(entries[i].Name(), extension)
				if !ok || !entries[i].Type().IsRegular() {
					continue
				}
				if infos[i], errs[i] = describe(id); errors.Is(errs[i], fs.ErrNotExist) {
					errs[i] = nil // just removed
				}
			}
		})
	}
	wait.Wait()
	infos = slices.DeleteFunc(infos, func(i Info) bool { return i.ID == "" })
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(b.ID, a.ID)) })
	return infos, errors.Join(errs...)
}
