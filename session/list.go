package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/cause"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// A list reads only the beginnings of files: headSize bytes, and more for a question that is longer.
const headSize, mostHead = 64 << 10, 16 << 20

// head is what the beginning of a file says of a session.
func (s *Store) head(id string) (Info, error) {
	f, err := os.Open(s.path(id))
	if err != nil {
		return Info{}, say(err, "session %q cannot be read: %v", id, cause.Of(err))
	}
	defer f.Close()
	for size := headSize; ; size *= 4 {
		data := make([]byte, size)
		n, err := f.ReadAt(data, 0)
		stat, statErr := f.Stat()
		if err = cmp.Or(statErr, err); err != nil && !errors.Is(err, io.EOF) {
			return Info{}, say(err, "session %q cannot be read: %v", id, cause.Of(err))
		}
		data = data[:n]
		if n == size { // the last line may go on
			data = data[:bytes.LastIndexByte(data, '\n')+1]
		}
		h := &history{info: Info{Changed: stat.ModTime(), Size: stat.Size()}}
		if err := h.read(data); err != nil {
			return Info{}, fmt.Errorf("session %q %w", id, err)
		}
		info, _ := h.loaded(id)
		if n < size {
			return info, nil
		}
		if info.Messages = 0; info.Title != "" || size >= mostHead {
			return info, nil
		}
	}
}

// List returns all sessions, the newest first, as their files begin. Files that cannot be read are left out and named in the error.
func (s *Store) List() ([]Info, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	var infos []Info
	var errs []error
	for _, id := range ids {
		info, err := s.head(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed in the meantime
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		infos = append(infos, info)
	}
	return infos, errors.Join(errs...)
}

// Remove deletes a session; id may be a unique prefix. One that a process writes stays, and the error matches ErrInUse.
func (s *Store) Remove(id string) error {
	if id == "" {
		return say(ErrNotFound, "no session is named; see: aloud sessions list")
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
		f.Close() // Windows removes no open files
	}
	if err := os.Remove(s.path(id)); err != nil {
		return say(err, "session %q cannot be removed: %v", id, cause.Of(err))
	}
	return nil
}

// find turns a unique prefix into an id, and "" into the id of the session that was changed last.
func (s *Store) find(prefix string) (string, error) {
	ids, err := s.ids()
	if err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return "", say(ErrNotFound, "there are no sessions yet; start one with: aloud")
	}
	if prefix == "" {
		return ids[0], nil
	}
	if slices.Contains(ids, prefix) {
		return prefix, nil
	}
	fitting := slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, prefix) })
	switch len(fitting) {
	case 0:
		return "", say(ErrNotFound, "no session begins with %q; see: aloud sessions list", prefix)
	case 1:
		return fitting[0], nil
	default:
		return "", say(ErrNotFound, "%d sessions begin with %q, %q and %q among them; write more of the one you mean, see: aloud sessions list",
			len(fitting), prefix, fitting[0], fitting[1])
	}
}

// ids are the names of all sessions, the one that was changed last first. A folder that is not there yet has none.
func (s *Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, say(err, "the folder of conversations %q cannot be read: %v", s.dir, cause.Of(err))
	}
	type changed struct {
		id string
		at int64
	}
	var found []changed
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), extension)
		info, err := e.Info()
		if ok && err == nil && info.Mode().IsRegular() {
			found = append(found, changed{id, info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(found, func(a, b changed) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.id, a.id)) })
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.id
	}
	return ids, nil
}

// title is the first question, cut to one line.
func title(messages []provider.Message) string {
	const enough, runes = 1000, 80
	for _, m := range messages {
		if m.Role != provider.RoleUser {
			continue
		}
		line := sanitize.Line(strings.ToValidUTF8(m.Text[:min(len(m.Text), enough)], ""))
		if utf8.RuneCountInString(line) <= runes {
			return line
		}
		return strings.TrimSpace(string([]rune(line)[:runes-1])) + "…"
	}
	return ""
}
