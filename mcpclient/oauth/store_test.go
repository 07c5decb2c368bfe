package oauth_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/oauthtest"
)

func TestStore(t *testing.T) {
	w, s := loggedIn(t)
	other := newWorld(t, oauthtest.Plain())
	other.options.Dir = w.options.Dir
	other.logIn(other.aloud())
	if mode := stat(t, w.file()).Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("others may read the file: %v", mode)
	}
	must(t, s.LogOut(t.Context()))
	w.wantsLogin(w.aloud(), "look")
	other.works(other.aloud(), "look")
}

func TestNoStore(t *testing.T) {
	t.Chdir(t.TempDir())
	w := newWorld(t, oauthtest.Plain())
	w.options.Dir = ""
	s := w.aloud()
	w.logIn(s)
	w.issuer.EndTokens()
	w.works(s, "look")
	if err := s.LogOut(t.Context()); err != nil {
		t.Error(err)
	}
	w.wantsLogin(s, "look")
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Errorf("stored: %v", files)
	}
}

func TestDamagedStore(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	key := "vault " + w.resource.URL
	for _, text := range []string{
		"", "{", "[]", "null", `{"logins":null}`, `{"logins":{"` + key + `":{"login":"x"}}}`,
		`{"logins":{"` + key + `":{"sealed":"eA=="}}}`, // encrypted, in the format of an earlier version
	} {
		must(t, os.WriteFile(w.file(), []byte(text), 0o644))
		s := w.aloud()
		w.wantsLogin(s, "look")
		w.logIn(s)
		w.works(w.aloud(), "look")
		if mode := stat(t, w.file()).Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("others may read the file: %v", mode)
		}
	}
}

func TestNewerStoreIsKept(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.blamed = true
	newer := `{"version":2,"logins":["in another form"]}`
	must(t, os.WriteFile(w.file(), []byte(newer), 0o600))
	s := w.aloud()
	for name, err := range map[string]error{"login": s.LogIn(t.Context(), &visitor{}), "logout": s.LogOut(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "newer version of aloud (format 2, this one reads 1). Update aloud") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(w.file()); string(text) != newer {
		t.Errorf("it became %s, %v", text, err)
	}
}

func TestReadOnlyStore(t *testing.T) {
	w := newWorld(t, oauthtest.Plain())
	w.blamed = true
	w.options.Dir = filepath.Join(w.options.Dir, "state")
	must(t, os.WriteFile(w.options.Dir, nil, 0o600))
	if err := w.aloud().LogIn(t.Context(), &visitor{}); err == nil {
		t.Error("kept nowhere, and nothing is said")
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info
}
