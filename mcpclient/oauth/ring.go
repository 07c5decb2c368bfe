package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// ring is the keyring of the system. One that has not answered once is not asked again.
type ring struct{ dead atomic.Bool }

// service is what our secrets are filed under.
const service = "aloud"

// ringLimit is how long a keyring may take: a person may have to unlock it.
const ringLimit = 20 * time.Second

var errNoRing = errors.New("there is no keyring here that answers")

// do asks the keyring. Its library knows no contexts: what nobody waits for any more goes on until the keyring answers, and changes nothing here.
func (r *ring) do(ctx context.Context, ask func() (string, error)) (string, error) {
	if r.dead.Load() || !ringPresent() {
		return "", errNoRing
	}
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := ask()
		answered <- answer{text, err}
	}()
	limit := time.NewTimer(ringLimit)
	defer limit.Stop()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	case <-limit.C:
		r.dead.Store(true)
		return "", errNoRing
	}
}

// ringPresent tells whether there may be one. Without a session bus the library would start one, which then stays.
func ringPresent() bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}

// partSize is how much one secret may hold everywhere: 2560 bytes on Windows, and a command of 4096 with it in base64 on macOS. What is
// longer, as tokens with a signature are, takes several, and a first one that says so.
const (
	partSize = 2400
	maxParts = maxRecord/partSize + 1
)

// split returns the first secret, and the parts by their names.
func split(key string, data []byte) (first string, parts map[string]string) {
	if len(data) <= partSize {
		return string(data), nil
	}
	parts = map[string]string{}
	sum := sumOf(data)
	for len(data) > 0 {
		n := min(len(data), partSize)
		parts[partName(key, sum, len(parts))] = string(data[:n])
		data = data[n:]
	}
	return fmt.Sprintf("parts %d %s", len(parts), sum), parts
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func partName(key, sum string, i int) string { return fmt.Sprintf("%s, part %d of %s", key, i+1, sum) }

// partNames are the names of the parts that a first secret speaks of; none when it is whole.
func partNames(key, first string) (names []string, sum string) {
	var n int
	if _, err := fmt.Sscanf(first, "parts %d %s", &n, &sum); err != nil || n < 1 || n > maxParts {
		return nil, ""
	}
	for i := range n {
		names = append(names, partName(key, sum, i))
	}
	return names, sum
}

// save writes the parts before the first, so that a reader finds the old whole or the new one; then the old parts go.
func (r *ring) save(ctx context.Context, key string, data []byte) error {
	_, err := r.do(ctx, func() (string, error) {
		before, _ := keyring.Get(service, key)
		first, parts := split(key, data)
		for name, part := range parts {
			if err := keyring.Set(service, name, part); err != nil {
				return "", err
			}
		}
		if err := keyring.Set(service, key, first); err != nil {
			return "", err
		}
		old, _ := partNames(key, before)
		for _, name := range old {
			if _, stays := parts[name]; !stays {
				_ = keyring.Delete(service, name)
			}
		}
		return "", nil
	})
	return err
}

// load reads all parts. They may have been replaced by others meanwhile: then it begins again.
func (r *ring) load(ctx context.Context, key string) ([]byte, error) {
	text, err := r.do(ctx, func() (string, error) {
		const tries = 3
		var err error
		for range tries {
			var text string
			if text, err = whole(key); err == nil {
				return text, nil
			}
		}
		return "", err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	return []byte(text), err
}

func whole(key string) (string, error) {
	first, err := keyring.Get(service, key)
	if err != nil {
		return "", err
	}
	names, sum := partNames(key, first)
	if names == nil {
		return first, nil
	}
	var all strings.Builder
	for _, name := range names {
		part, err := keyring.Get(service, name)
		if err != nil {
			return "", err
		}
		all.WriteString(part)
	}
	if sumOf([]byte(all.String())) != sum {
		return "", errors.New("the parts in the keyring do not belong together")
	}
	return all.String(), nil
}

func (r *ring) remove(ctx context.Context, key string) error {
	_, err := r.do(ctx, func() (string, error) {
		first, err := keyring.Get(service, key)
		if err != nil {
			return "", err
		}
		names, _ := partNames(key, first)
		for _, name := range names {
			_ = keyring.Delete(service, name)
		}
		return "", keyring.Delete(service, key)
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
