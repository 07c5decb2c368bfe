package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// logsIn is a story that begins with a login to a server, on a screen of a given size.
func logsIn(t *testing.T, width, height int, login func(context.Context, mcpclient.Browser) error,
	open func(string) error, story func(d *driver)) {
	t.Helper()
	o, k := troubled()
	k.login, o.OpenPage = login, open
	drive(t, width, height, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "down", "down", "l").wait(time.Second)
		story(d)
	})
}

// visits is a login that shows a page and checks the pasted addresses.
func visits(address, secret string, try func(pasted string) error) func(context.Context, mcpclient.Browser) error {
	return func(ctx context.Context, person mcpclient.Browser) error {
		if err := person.Visit(address, secret); err != nil {
			return err
		}
		pasted, err := person.Pasted(ctx)
		if err != nil {
			return err
		}
		return try(pasted)
	}
}

func TestLogin(t *testing.T) {
	address := "https://login.a-long-name-of-a-company-and-its-land.example/authorize?" + strings.Repeat("scope=all&", 12)
	var opened, tried []string
	login := visits(address, "", func(pasted string) error {
		if tried = append(tried, pasted); pasted == "wrong" {
			return errors.New("that is no address we asked for")
		}
		return nil
	})
	open := func(address string) error {
		opened = append(opened, address)
		return errors.New("no browser is available")
	}
	logsIn(t, 80, 24, login, open, func(d *driver) {
		d.golden("login-80")
		if len(opened) > 0 {
			t.Errorf("%q was opened before its host was shown", opened)
		}
		d.press("enter").wait(time.Second)
		d.sees("No browser is available")
		d.typeText("wrong\n")
		d.sees("That is no address we asked for.", "enter to try again")
		d.press("enter").wait(time.Second)
		d.sees("The login page is on login.a-long-name")
		d.press("esc") // gives up
		d.sees("needs login")
		d.press("l").wait(time.Second)
		d.typeText("http://127.0.0.1/?code=1\n")
		d.seesNot("needs login", "Log in to")
		d.sees("Logged in to linear")
	})
	if !slices.Equal(tried, []string{"wrong", "http://127.0.0.1/?code=1"}) || !slices.Equal(opened, []string{address}) {
		t.Errorf("tried were %q, opened %q", tried, opened)
	}
}

func TestLoginPasteAgain(t *testing.T) {
	var tried []string
	login := func(ctx context.Context, person mcpclient.Browser) error {
		if err := person.Visit("https://login.example/authorize", ""); err != nil {
			return err
		}
		time.Sleep(time.Minute)
		for {
			text, err := person.Pasted(ctx)
			if err != nil {
				return err
			}
			if tried = append(tried, text); !strings.Contains(text, "wrong") {
				return nil
			}
			person.(interface{ Tell(error) }).Tell(errors.New("that is not the address we wait for"))
		}
	}
	logsIn(t, 80, 24, login, nil, func(d *driver) {
		d.typeText("old\n")
		d.typeText("wrong\n") // the newest one is used
		d.wait(time.Minute)
		d.sees("That is not the address we wait for", "https://login.example/authorize")
		d.typeText("http://127.0.0.1/?code=1\n").wait(time.Second)
		d.sees("Logged in to linear")
	})
	if !slices.Equal(tried, []string{"wrong", "http://127.0.0.1/?code=1"}) {
		t.Errorf("tried were %q", tried)
	}
}

// TestLoginShowsHost checks that the host is shown: you decide by it whether to open the browser, and whether a login
// server may have your client's secret.
func TestLoginShowsHost(t *testing.T) {
	host, ascii := strings.Repeat("login.", 8)+"аpple.example", strings.Repeat("login.", 8)+"xn--pple-43d.example"
	for _, c := range []struct {
		address, secret string
		sizes           [][2]int
		want            []string // without spaces
	}{
		{"https://" + host + "/authorize?" + strings.Repeat("scope=all&", 100), "", [][2]int{{40, 12}, {80, 9}, {200, 50}},
			[]string{"pageison" + ascii + ".", "›▏"}},
		{"https://login.example/authorize", "https://evil.example/tenant", [][2]int{{40, 14}, {80, 24}, {200, 50}},
			[]string{"https://evil.example/tenant", "nootherloginserver"}},
	} {
		login := visits(c.address, c.secret, func(string) error { return nil })
		for _, size := range c.sizes {
			opened := 0
			logsIn(t, size[0], size[1], login, func(string) error { opened++; return nil }, func(d *driver) {
				all := strings.NewReplacer("\n", "", " ", "").Replace(d.screen())
				for _, words := range c.want {
					if !strings.Contains(all, words) {
						t.Errorf("%v does not show %s:\n%s", size, words, d.screen())
					}
				}
				if opened > 0 {
					t.Error("the page was opened before")
				}
				d.press("enter").wait(time.Second)
				d.press("esc")
			})
			if opened != 1 {
				t.Errorf("%v: the page was opened %d times", size, opened)
			}
		}
		if c.secret == "" {
			logsIn(t, 40, 24, login, nil, func(d *driver) { d.golden("login-40") })
		}
	}
}

func TestLoginFails(t *testing.T) {
	logsIn(t, 80, 24, visits("https://bank.example@evil.example/", "", nil), nil, func(d *driver) {
		d.sees("has a user name", "enter to try again · esc to close")
	})
	o, _ := troubled()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("l")
		d.sees("── Servers", "files does not use a login")
	})
}
