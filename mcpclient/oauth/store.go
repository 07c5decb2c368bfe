package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/aloudchat/aloud/atomicfile"
)

// Store keeps logins. All methods are safe for concurrent use, by several processes too unless it is in memory.
type Store interface {
	// Load returns nil when nothing is kept under the key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
	// Lock waits until the key is free, or until ctx ends. Hold it to renew a token: many refresh tokens are good for one use.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Keep returns a store in the file tokens.json in dir, which only its owner can read. The logins in it are encrypted with a key from the
// system's keyring, or plain where there is no keyring.
func Keep(dir string) Store { return &store{dir: dir} }

// Memory returns a store that ends with the program.
func Memory() Store { return &store{inMemory: map[string]entry{}, turn: make(chan struct{}, 1)} }

type store struct {
	dir  string
	ring ring

	mu       sync.Mutex
	inMemory map[string]entry // nil: the logins are in the file
	turn     chan struct{}    // the lock of a store in memory
}

// entry is one login. One of its fields is set.
type entry struct {
	Sealed []byte          `json:"sealed,omitempty"`
	Plain  json.RawMessage `json:"login,omitempty"`
}

// maxFile is in bytes; hundreds of logins fit.
const maxFile = 16 << 20

func (s *store) path() string { return filepath.Join(s.dir, "tokens.json") }

func (s *store) read() (map[string]entry, error) {
	f, err := os.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	var content struct{ Logins map[string]entry }
	if json.Unmarshal(text, &content) != nil || content.Logins == nil {
		return map[string]entry{}, nil // damaged: the next login mends it
	}
	return content.Logins, nil
}

// change writes the file again, one process at a time.
func (s *store) change(ctx context.Context, change func(map[string]entry)) error {
	if s.inMemory != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		change(s.inMemory)
		return nil
	}
	unlock, err := atomicfile.Lock(ctx, filepath.Join(s.dir, "tokens.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	logins, err := s.read()
	if err != nil {
		return err
	}
	change(logins)
	text, err := json.Marshal(map[string]any{"logins": logins})
	if err != nil {
		return err
	}
	if err := os.Chmod(s.path(), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(s.path(), append(text, '\n'))
}

// Load implements Store.
func (s *store) Load(ctx context.Context, key string) ([]byte, error) {
	if s.inMemory != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.inMemory[key].Plain, nil
	}
	logins, err := s.read()
	if err != nil {
		return nil, err
	}
	e := logins[key]
	if e.Sealed == nil {
		return e.Plain, nil
	}
	secret, err := s.ring.secret(ctx, false)
	if err != nil {
		return nil, err
	}
	data, err := sealer(secret).Open(nil, nil, e.Sealed, []byte(key))
	if err != nil {
		return nil, errors.New("the key in the keyring is not the one of the login")
	}
	return data, nil
}

// Save implements Store.
func (s *store) Save(ctx context.Context, key string, data []byte) error {
	err := s.change(ctx, func(logins map[string]entry) {
		logins[key] = entry{Plain: data}
		if s.inMemory != nil {
			return
		}
		if secret, err := s.ring.secret(ctx, true); err == nil {
			logins[key] = entry{Sealed: sealer(secret).Seal(nil, nil, data, []byte(key))}
		}
	})
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", s.path(), err)
	}
	return nil
}

// Delete implements Store.
func (s *store) Delete(ctx context.Context, key string) error {
	return s.change(ctx, func(logins map[string]entry) { delete(logins, key) })
}

// Lock implements Store.
func (s *store) Lock(ctx context.Context, key string) (func(), error) {
	if s.inMemory == nil {
		sum := sha256.Sum256([]byte(key))
		return atomicfile.Lock(ctx, filepath.Join(s.dir, "tokens-"+hex.EncodeToString(sum[:4])+".lock"))
	}
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sealer encrypts logins. The key of a login in the store is bound to it, so that no login can take the place of another.
func sealer(secret [32]byte) cipher.AEAD {
	block, _ := aes.NewCipher(secret[:]) // the length is right
	aead, _ := cipher.NewGCMWithRandomNonce(block)
	return aead
}
