package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// List reads headSize bytes of each file, or mostHead if they contain no message of the user.
const headSize, mostHead = 64 << 10, 16 << 20

// head reads Info from the start of a file.
func (s *Store) head(id string) (info Info, err error) {
	for _, size := range []int{headSize, mostHead} {
		h, err := s.read(id, size)
		if err != nil {
			return Info{}, err
		}
		if info, _ = h.loaded(id); info.Size < int64(size) {
			return info, nil
		}
		if info.Messages = 0; info.Title != "" {
			break
		}
	}
	return info, nil
}

// List returns all sessions, the newest first. The error names the files that could not be read.
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
			continue // just removed
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		infos = append(infos, info)
	}
	return infos, errors.Join(errs...)
}

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
	if err := os.Remove(s.path(id)); err != nil {
		return fmt.Errorf("cannot remove conversation %q: %w", id, atomicfile.Cause(err))
	}
	return nil
}

// find returns the id with a unique prefix, or the session changed last for "".
func (s *Store) find(prefix string) (string, error) {
	ids, err := s.ids()
	if err != nil {
		return "", err
	}
	if len(ids) == 0 {
		return "", errors.New("no saved conversations yet. Start one with: aloud")
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
		return "", fmt.Errorf("no conversation starts with %q. See: aloud sessions list", prefix)
	case 1:
		return fitting[0], nil
	default:
		return "", fmt.Errorf("%d conversations start with %q, among them %q and %q. Use a longer ID",
			len(fitting), prefix, fitting[0], fitting[1])
	}
}

// ids returns the ids of all sessions, the one changed last first.
func (s *Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read folder %q: %w", s.dir, atomicfile.Cause(err))
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

// title returns the first message of the user, truncated to one line.
func title(messages []provider.Message) string {
	const bytes, cells = 1000, 80
	for _, m := range messages {
		if m.Role == provider.RoleUser {
			return sanitize.CutEnd(sanitize.Line(sanitize.Cut(m.Text, bytes)), cells)
		}
	}
	return ""
}
