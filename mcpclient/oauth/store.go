package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// store is the file tokens.json, which has the logins to all servers. Several processes may use it. Without a folder
// nothing is stored.
type store struct{ dir string }

// content is the content of the file.
type content struct {
	Version int    `json:"version"`
	Logins  logins `json:"logins"`
}

const version = 1

// logins has the logins by the names and addresses of servers.
type logins map[string]entry

type entry struct {
	Login record `json:"login"`
}

func (s store) path() string { return filepath.Join(s.dir, "tokens.json") }

// read returns all logins that are valid.
func (s store) read() (logins, error) {
	text, err := atomicfile.Read(s.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var content content
	_ = json.Unmarshal(text, &content) // sets Version even if another field has the wrong type
	if content.Version > version {
		return nil, &atomicfile.NewerError{Version: content.Version, Known: version}
	}
	if content.Logins == nil {
		return logins{}, nil
	}
	return content.Logins, nil
}

// change updates the file. It holds a lock meanwhile.
func (s store) change(ctx context.Context, change func(logins)) error {
	if s.dir == "" {
		return nil
	}
	unlock, err := atomicfile.Lock(ctx, filepath.Join(s.dir, "tokens.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return err
	}
	change(all)
	text, err := json.Marshal(content{version, all})
	if err != nil {
		return err
	}
	if err := os.Chmod(s.path(), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(s.path(), append(text, '\n'))
}

// lock acquires the lock of a key. It must be held to renew a token.
func (s store) lock(ctx context.Context, key string) (unlock func(), err error) {
	if s.dir == "" {
		return func() {}, nil
	}
	sum := sha256.Sum256([]byte(key))
	return atomicfile.Lock(ctx, filepath.Join(s.dir, "tokens-"+hex.EncodeToString(sum[:4])+".lock"))
}
