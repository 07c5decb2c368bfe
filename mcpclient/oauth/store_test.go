package oauth_test

import (
	"os"
	"path/filepath"
	"runtime"
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
