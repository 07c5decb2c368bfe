package conn

import (
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestFits(t *testing.T) {
	r := mcpclient.Resource{URI: "town://{town}/{day}", Template: true}
	for uri, want := range map[string]bool{"town://Bern/1": true, "town://": true, "city://Bern/1": false,
		"town://Bad Ems/1": false} {
		if got := r.Fits(uri); got != want {
			t.Errorf("%s fits %s: %v", uri, r.URI, got)
		}
	}
	if (mcpclient.Resource{URI: "town://{town}"}).Fits("town://Bern") {
		t.Error("what is no template is taken for one")
	}
}
