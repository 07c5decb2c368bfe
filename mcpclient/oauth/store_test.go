package oauth_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

// withRing has a keyring that is in memory; err, when there is one, is all that it says.
func withRing(t *testing.T, err error) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // there may be one, as far as can be seen
	keyring.MockInit()
	if err != nil {
		keyring.MockInitWithError(err)
	}
	t.Cleanup(keyring.MockInit)
}

// token is what is kept, of that many bytes.
func token(size int, letter string) []byte {
	return fmt.Appendf(nil, `{"at":"%s"}`, strings.Repeat(letter, size-9))
}

func TestLoginsAreKept(t *testing.T) {
	for where, ring := range map[string]error{"with a keyring": nil, "without": errors.New("no service")} {
		t.Run(where, func(t *testing.T) {
			withRing(t, ring)
			dir := filepath.Join(t.TempDir(), "state")
			for _, size := range []int{100, 60000, 100} {
				data := token(size, "a")
				save(t, oauth.Keep(dir), "vault", data)
				save(t, oauth.Keep(dir), "other", token(50, "b"))
				if got := load(t, oauth.Keep(dir), "vault"); !bytes.Equal(got, data) {
					t.Errorf("of %d bytes came back %d", size, len(got))
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, "tokens.json"))
			if err != nil {
				t.Fatal(err)
			}
			if inFile := bytes.Contains(text, []byte("aaaa")); inFile != (ring != nil) {
				t.Errorf("the file says %q", text)
			}
			if mode := stat(t, filepath.Join(dir, "tokens.json")).Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("others may read the file: %v", mode)
			}
			if err := oauth.Keep(dir).Delete(t.Context(), "vault"); err != nil {
				t.Fatal(err)
			}
			if got := load(t, oauth.Keep(dir), "vault"); got != nil {
				t.Errorf("%q is still there", got)
			}
			if got := load(t, oauth.Keep(dir), "other"); got == nil {
				t.Error("the other login is gone too")
			}
		})
	}
}

func TestAKeyringIsAskedOnlyForWhatItHas(t *testing.T) {
	withRing(t, errors.New("locked"))
	if got, err := oauth.Keep(t.TempDir()).Load(t.Context(), "vault"); got != nil || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAKeyringThatIsLockedLater(t *testing.T) {
	withRing(t, nil)
	dir := t.TempDir()
	save(t, oauth.Keep(dir), "vault", token(100, "a"))
	keyring.MockInitWithError(errors.New("locked"))
	if got, err := oauth.Keep(dir).Load(t.Context(), "vault"); err == nil {
		t.Errorf("got %q", got)
	}
	save(t, oauth.Keep(dir), "vault", token(100, "b")) // a new login is not lost
	if got := load(t, oauth.Keep(dir), "vault"); !bytes.Equal(got, token(100, "b")) {
		t.Errorf("got %q", got)
	}
}

// A login that was encrypted with another key cannot be read, nor can one in the place of another.
func TestALoginThatIsNotWhatItWas(t *testing.T) {
	withRing(t, nil)
	dir := t.TempDir()
	save(t, oauth.Keep(dir), "vault", token(100, "a"))
	path := filepath.Join(dir, "tokens.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("vault"), []byte("other"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := oauth.Keep(dir).Load(t.Context(), "other"); err == nil {
		t.Errorf("the login of another server is read: %q", got)
	}
	keyring.MockInit() // forgets the key
	if got, err := oauth.Keep(dir).Load(t.Context(), "other"); err == nil {
		t.Errorf("without the key it is read: %q", got)
	}
	save(t, oauth.Keep(dir), "other", token(100, "b"))
	if got := load(t, oauth.Keep(dir), "other"); !bytes.Equal(got, token(100, "b")) {
		t.Errorf("got %q", got)
	}
}

func TestADamagedFile(t *testing.T) {
	withRing(t, errors.New("no service"))
	dir := t.TempDir()
	for _, text := range []string{"", "{", "[]", "null", `{"logins":null}`, `{"logins":{"vault":{"login":"x"}}}`} {
		if err := os.WriteFile(filepath.Join(dir, "tokens.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, oauthtest.Plain())
		w.store = oauth.Keep(dir)
		w.options.Store = w.store
		s := w.aloud()
		w.wantsLogin(s, "look")
		w.logIn(s)
		w.works(w.aloud(), "look")
		if mode := stat(t, filepath.Join(dir, "tokens.json")).Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("others may read the file: %v", mode)
		}
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	withRing(t, errors.New("no service"))
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := oauth.Keep(file).Save(t.Context(), "vault", token(100, "a")); err == nil {
		t.Error("kept nowhere, and nothing is said")
	}
}

func save(t *testing.T, s oauth.Store, key string, data []byte) {
	t.Helper()
	if err := s.Save(t.Context(), key, data); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s oauth.Store, key string) []byte {
	t.Helper()
	data, err := s.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
