package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestLoggingInToAServer(t *testing.T) {
	o, k := troubled()
	address := "https://login.a-long-name-of-a-company-and-its-land.example/authorize?" + strings.Repeat("scope=all&", 12)
	var opened []string
	o.OpenPage = func(address string) error {
		opened = append(opened, address)
		return errors.New("there is no browser here")
	}
	got := ""
	k.login = func(ctx context.Context, person mcpclient.Browser) (err error) {
		if err := person.Visit(address, ""); err != nil {
			return err
		}
		if got, err = person.Pasted(ctx); err == nil && got == "wrong" {
			err = errors.New("that is no address we asked for")
		}
		return err
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.sees("1/5 servers, linear needs a login")
		d.typeText("/servers\n")
		d.press("down", "down", "down", "l")
		d.wait(time.Second)
		d.golden("login-80")
		if len(opened) > 0 {
			t.Errorf("%q was opened before anybody has seen where that is", opened)
		}
		d.press("enter")
		d.wait(time.Second)
		d.sees("There is no browser here")
		d.typeText("wrong\n")
		d.sees("That is no address we asked for.", "enter tries again")
		d.press("enter")
		d.wait(time.Second)
		d.sees("The page belongs to login.a-long-name")
		d.press("enter")
		d.wait(time.Second)
		d.press("esc")
		d.sees("needs login")
		d.press("l")
		d.press("esc") // gives up
		d.sees("needs login")
		d.press("l")
		d.wait(time.Second)
		d.typeText("http://127.0.0.1/?code=1\n")
		d.seesNot("needs login", "Log in to")
		d.sees("Logged in to linear")
		if got != "http://127.0.0.1/?code=1" || len(opened) < 2 || opened[0] != address {
			t.Errorf("pasted was %q, opened %q", got, opened)
		}
	})
}

func TestAWrongAddressMayBePastedAgain(t *testing.T) {
	o, k := troubled()
	var pasted []string
	k.login = func(ctx context.Context, person mcpclient.Browser) error {
		if err := person.Visit("https://login.example/authorize", ""); err != nil {
			return err
		}
		for len(pasted) < 2 {
			text, err := person.Pasted(ctx)
			if err != nil {
				return err
			}
			if pasted = append(pasted, text); text == "wrong" {
				person.(interface{ Tell(error) }).Tell(errors.New("that is not the address we wait for"))
			}
		}
		return nil
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "down", "down", "l")
		d.wait(time.Second)
		d.typeText("wrong\n")
		d.wait(time.Second)
		d.sees("That is not the address we wait for", "https://login.example/authorize")
		d.typeText("http://127.0.0.1/?code=1\n")
		d.wait(time.Second)
		d.sees("Logged in to linear")
		if len(pasted) != 2 || pasted[1] != "http://127.0.0.1/?code=1" {
			t.Errorf("pasted was %q", pasted)
		}
	})
}

// TestWhoGetsTheCredentialsIsShownFirst: a login server that gets the secret of a client for the first time is on the screen before anything opens.
func TestWhoGetsTheCredentialsIsShownFirst(t *testing.T) {
	for _, size := range [][2]int{{40, 14}, {80, 24}, {200, 50}} {
		o, k := troubled()
		opened := 0
		o.OpenPage = func(string) error {
			opened++
			return nil
		}
		k.login = func(ctx context.Context, person mcpclient.Browser) error {
			if err := person.Visit("https://login.example/authorize", "https://evil.example/tenant"); err != nil {
				return err
			}
			_, err := person.Pasted(ctx)
			return err
		}
		drive(t, size[0], size[1], o, func(d *driver) {
			d.typeText("/servers\n")
			d.press("down", "down", "down", "l")
			d.wait(time.Second)
			if all := strings.Join(strings.Fields(d.screen()), " "); !strings.Contains(all, "https://evil.example/tenant") || !strings.Contains(all, "no other login server") {
				t.Errorf("%v does not show the login server:\n%s", size, d.screen())
			}
			if opened > 0 {
				t.Error("the page was opened before")
			}
			d.press("enter")
			d.wait(time.Second)
			d.press("esc")
		})
		if opened != 1 {
			t.Errorf("the page was opened %d times", opened)
		}
	}
}

// Who pastes another address before anybody has looked at the first means the other one.
func TestTheNewestAddressIsTried(t *testing.T) {
	o, k := troubled()
	var got string
	k.login = func(ctx context.Context, person mcpclient.Browser) (err error) {
		if err := person.Visit("https://login.example/authorize", ""); err != nil {
			return err
		}
		time.Sleep(time.Minute) // it is busy
		got, err = person.Pasted(ctx)
		return err
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "down", "down", "l")
		d.wait(time.Second)
		d.typeText("http://127.0.0.1/?code=old\n")
		d.typeText("http://127.0.0.1/?code=new\n")
		d.wait(time.Minute)
		d.sees("Logged in to linear")
		if got != "http://127.0.0.1/?code=new" {
			t.Errorf("%q was tried", got)
		}
	})
}

// TestTheHostOfALoginIsReadOnAnyScreen: a person decides by it whether the browser opens.
func TestTheHostOfALoginIsReadOnAnyScreen(t *testing.T) {
	host := strings.Repeat("login.", 8) + "аpple.example"
	ascii := strings.Repeat("login.", 8) + "xn--pple-43d.example"
	for _, size := range [][2]int{{40, 12}, {40, 24}, {80, 9}, {200, 50}} {
		o, k := troubled()
		k.login = func(ctx context.Context, person mcpclient.Browser) error {
			if err := person.Visit("https://"+host+"/authorize?"+strings.Repeat("scope=all&", 100), ""); err != nil {
				return err
			}
			_, err := person.Pasted(ctx)
			return err
		}
		drive(t, size[0], size[1], o, func(d *driver) {
			d.typeText("/servers\n")
			d.press("down", "down", "down", "l")
			d.wait(time.Second)
			if size == [2]int{40, 24} {
				d.golden("login-40")
			}
			if all := strings.NewReplacer("\n", "", " ", "").Replace(d.screen()); !strings.Contains(all, "belongsto"+ascii+".") || !strings.Contains(all, "›▏") {
				t.Errorf("%v does not show the host:\n%s", size, d.screen())
			}
			d.press("esc")
		})
	}
}

func TestAServerWithoutALogin(t *testing.T) {
	o, _ := troubled()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("l")
		d.sees("── Servers", "files is configured without a login")
		d.press("enter", "l") // also from inside
		d.sees("── files", "files is configured without a login")
	})
}

func TestALoginThatLeadsToNoPage(t *testing.T) {
	o, k := troubled()
	k.login = func(_ context.Context, person mcpclient.Browser) error {
		return person.Visit("https://bank.example@evil.example/", "")
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "down", "down", "l")
		d.wait(time.Second)
		d.sees("has a name before its host", "enter tries again · esc closes")
	})
}
