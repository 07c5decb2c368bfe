package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/aloudchat/aloud/atomicfile"
)

// Keep returns a store that several processes may use: the keyring of the system, or where that cannot be used the file tokens.json in dir,
// which only its owner can read. The file says in any case what there is, so that nobody is asked to unlock a keyring without need.
func Keep(dir string) Store { return &kept{dir: dir} }

type kept struct {
	dir  string
	ring ring
}

// logins is the content of the file.
type logins struct {
	Logins map[string]entry `json:"logins"`
}

// entry is one login: what is kept of it, or that the keyring has it.
type entry struct {
	Ring bool            `json:"keyring,omitempty"`
	Data json.RawMessage `json:"login,omitempty"`
}

// maxFile is in bytes. Hundreds of logins fit in.
const maxFile = 16 << 20

func (k *kept) path() string { return filepath.Join(k.dir, "tokens.json") }

func (k *kept) read() (logins, error) {
	all := logins{Logins: map[string]entry{}}
	f, err := os.Open(k.path())
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return all, err
	}
	if json.Unmarshal(text, &all) != nil || all.Logins == nil {
		all.Logins = map[string]entry{} // damaged: a new login mends it
	}
	return all, nil
}

// change writes the file anew. Others who do so wait.
func (k *kept) change(ctx context.Context, change func(map[string]entry)) error {
	unlock, err := atomicfile.Lock(ctx, filepath.Join(k.dir, "tokens.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	all, err := k.read()
	if err != nil {
		return err
	}
	change(all.Logins)
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if info, err := os.Stat(k.path()); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(k.path(), 0o600); err != nil {
			return err
		}
	}
	return atomicfile.Write(k.path(), append(text, '\n'))
}

func (k *kept) Load(ctx context.Context, key string) ([]byte, error) {
	all, err := k.read()
	if err != nil {
		return nil, err
	}
	if e := all.Logins[key]; !e.Ring {
		return e.Data, nil
	}
	return k.ring.load(ctx, key)
}

func (k *kept) Save(ctx context.Context, key string, data []byte) error {
	where := entry{Ring: true}
	if err := k.ring.save(ctx, key, data); err != nil {
		where = entry{Data: data}
	}
	if all, err := k.read(); err == nil && where.Ring && all.Logins[key].Ring {
		return nil
	}
	if err := k.change(ctx, func(logins map[string]entry) { logins[key] = where }); err != nil {
		return fmt.Errorf("%q cannot be written: %w", k.path(), err)
	}
	return nil
}

func (k *kept) Delete(ctx context.Context, key string) error {
	all, err := k.read()
	if err != nil {
		return err
	}
	there, found := all.Logins[key]
	if !found {
		return nil
	}
	// The keyring comes first: what it has is known only as long as the file says so. One of before it was locked may be in there, too.
	if err := k.ring.remove(ctx, key); err != nil && there.Ring {
		return err
	}
	return k.change(ctx, func(logins map[string]entry) { delete(logins, key) })
}

func (k *kept) Lock(ctx context.Context, key string) (func(), error) {
	sum := sha256.Sum256([]byte(key))
	return atomicfile.Lock(ctx, filepath.Join(k.dir, "tokens-"+hex.EncodeToString(sum[:4])+".lock"))
}
