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

	"github.com/aloudchat/aloud/e2e/oauthtest"
	"github.com/aloudchat/aloud/mcpclient/oauth"
	"github.com/zalando/go-keyring"
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

// A long name is no reason to forget a login: its key is written as JSON, which has whole characters only.
func TestALoginWithALongNameIsFoundAgain(t *testing.T) {
	withRing(t, errors.New("no service"))
	dir := t.TempDir()
	for lead := range 3 {
		w := newWorld(t, oauthtest.Plain())
		w.options.Server, w.options.Store = strings.Repeat("x", lead)+strings.Repeat("界", 80), oauth.Keep(dir)
		w.logIn(w.aloud())
		w.works(w.aloud(), "look")
	}
}

func TestLoginsAreKept(t *testing.T) {
	for where, ring := range map[string]error{"in the keyring": nil, "in a file": errors.New("no service")} {
		t.Run(where, func(t *testing.T) {
			withRing(t, ring)
			dir := filepath.Join(t.TempDir(), "state")
			for _, size := range []int{100, 2400, 2401, 60000, 5000, 100} {
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

func TestLongTokensTakeSeveralSecrets(t *testing.T) {
	withRing(t, nil)
	store := oauth.Keep(t.TempDir())
	save(t, store, "vault", token(60000, "a"))
	first, err := keyring.Get("aloud", "vault")
	if err != nil || len(first) > 2500 {
		t.Errorf("the first has %d bytes, %v", len(first), err)
	}
	var parts int
	var sum string
	if _, err := fmt.Sscanf(first, "parts %d %s", &parts, &sum); err != nil {
		t.Fatalf("the first says %q", first)
	}
	for i := range parts {
		part, err := keyring.Get("aloud", fmt.Sprintf("vault, part %d of %s", i+1, sum))
		if err != nil || len(part) > 2500 {
			t.Errorf("part %d has %d bytes, %v", i+1, len(part), err)
		}
	}
	save(t, store, "vault", token(100, "b"))
	if _, err := keyring.Get("aloud", fmt.Sprintf("vault, part 1 of %s", sum)); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("old parts stay: %v", err)
	}
}

func TestAPartIsMissing(t *testing.T) {
	withRing(t, nil)
	store := oauth.Keep(t.TempDir())
	save(t, store, "vault", token(6000, "a"))
	if err := keyring.Set("aloud", "vault", "parts 3 0011223344556677"); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Load(t.Context(), "vault"); got != nil {
		t.Errorf("read as %q, %v", got, err)
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

func TestALoginIsDeletedWhereverItIs(t *testing.T) {
	withRing(t, nil)
	store := oauth.Keep(t.TempDir())
	inRing := func() bool {
		_, err := keyring.Get("aloud", "vault")
		return err == nil
	}
	secrets := func() { // those of the ring, as they were
		keyring.MockInit()
		save(t, oauth.Keep(t.TempDir()), "vault", token(100, "a"))
	}

	save(t, store, "vault", token(100, "a"))
	keyring.MockInitWithError(errors.New("locked"))
	if err := store.Delete(t.Context(), "vault"); err == nil {
		t.Error("the keyring is locked, and nothing is said")
	}
	secrets()
	if got := load(t, store, "vault"); got == nil {
		t.Error("the keyring still has it, and nobody knows")
	}
	if err := store.Delete(t.Context(), "vault"); err != nil || inRing() {
		t.Errorf("deleted again: %v", err)
	}

	save(t, store, "vault", token(100, "a"))
	keyring.MockInitWithError(errors.New("locked"))
	save(t, store, "vault", token(100, "b")) // into the file
	secrets()
	if err := store.Delete(t.Context(), "vault"); err != nil || inRing() {
		t.Errorf("the old one stays in the keyring: %v", err)
	}

	save(t, store, "vault", token(100, "b"))
	keyring.MockInitWithError(errors.New("locked"))
	save(t, store, "vault", token(100, "b")) // into the file
	if err := store.Delete(t.Context(), "vault"); err != nil || load(t, store, "vault") != nil {
		t.Errorf("what is in the file needs no keyring: %v", err)
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

func TestTwoAloudsRenewAtOnce(t *testing.T) {
	withRing(t, errors.New("no service"))
	w := newWorld(t, oauthtest.Plain())
	dir := t.TempDir()
	w.store = oauth.Keep(dir)
	w.options.Store = w.store
	w.logIn(w.aloud())
	for range 5 {
		w.issuer.EndTokens()
		done := make(chan error)
		for range 2 {
			w.options.Store = oauth.Keep(dir) // as another process has it
			s := w.aloud()
			go func() {
				_, err := w.get(t.Context(), s)
				done <- err
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
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
