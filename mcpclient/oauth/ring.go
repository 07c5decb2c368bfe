package oauth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// ring is the system's keyring, which has the key that logins are encrypted with. After a timeout it is not asked again.
type ring struct{ dead atomic.Bool }

// ringLimit is how long a keyring may take: you may have to unlock it.
const ringLimit = 20 * time.Second

var errNoRing = errors.New("there is no keyring here that answers")

// secret returns the key, a new one if there is none and create is true. The library knows no contexts: a call that is not waited for any more
// goes on until the keyring answers.
func (r *ring) secret(ctx context.Context, create bool) ([32]byte, error) {
	if r.dead.Load() || !ringPresent() {
		return [32]byte{}, errNoRing
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ringLimit, errNoRing)
	defer cancel()
	type answer struct {
		secret [32]byte
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		secret, err := askRing(create)
		answered <- answer{secret, err}
	}()
	select {
	case a := <-answered:
		return a.secret, a.err
	case <-ctx.Done():
		why := context.Cause(ctx)
		r.dead.Store(errors.Is(why, errNoRing))
		return [32]byte{}, why
	}
}

func askRing(create bool) (secret [32]byte, err error) {
	const service, user = "aloud", "logins"
	text, err := keyring.Get(service, user)
	if errors.Is(err, keyring.ErrNotFound) && create {
		_, _ = rand.Read(secret[:]) // never fails
		return secret, keyring.Set(service, user, hex.EncodeToString(secret[:]))
	}
	if err == nil && hex.DecodedLen(len(text)) == len(secret) {
		_, err = hex.Decode(secret[:], []byte(text))
	} else if err == nil {
		err = errors.New("the keyring has no key for the logins of aloud")
	}
	return secret, err
}

// ringPresent reports whether there may be a keyring. Without a session bus the library would start one, which then stays.
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
