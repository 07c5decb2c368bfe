package builtin_test

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

func TestShopAnswersAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // for Windows
	synctest.Test(t, func(t *testing.T) {
		shop, err := builtin.Shop()
		if err != nil {
			t.Fatal(err)
		}
		list := []mcpclient.Server{{Name: "shop", Local: shop, Insider: shop, Trusted: true}}
		set := servers.Start(t.Context(), list, servers.Options{Board: new(servers.Board)})
		if err := set.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		for call, want := range map[string]string{
			`find_customer {"name":"john doe"}`:     "customer 42",
			`find_customer {"name":"Ada Lovelace"}`: `there is no name "Ada Lovelace"`,
			`list_orders {"customer":42}`:           "bookshelf",
			`check_bill {"order":"1047"}`:           "10.00 € too much",
			`track_parcel {"order":1043}`:           "does not answer",
			`draw_sales {"week":"this week"}`:       "Sat 310 €",
			`read_file {"path":"todo.md"}`:          "call Anna",
			`read_file {"path":"../todo.md"}`:       "outside the served folder",
		} {
			tool, arguments, _ := strings.Cut(call, " ")
			r, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__" + tool, Arguments: []byte(arguments)}, nil)
			if err != nil || !strings.Contains(r.Text, want) {
				t.Errorf("%s returned %q and %v, want %q", call, r.Text, err, want)
			}
			if len(r.Sources) > 0 {
				t.Errorf("%s names %q, which does not outlive the demo", call, r.Sources)
			}
			if len(r.Images) == 0 {
				continue
			}
			picture, err := png.Decode(bytes.NewReader(r.Images[0]))
			if tool != "draw_sales" || err != nil || picture.Bounds().Dx() != 180 {
				t.Errorf("%s returned a picture: %v", call, err)
			}
		}
		set.Close()
		if err := shop.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("the shop left %v, %v", left, err)
		}
	})
}
