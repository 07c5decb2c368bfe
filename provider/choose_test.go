package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestChoose(t *testing.T) {
	library := []provider.Info{{Name: "embed"}, {Name: "qwen", Tools: true}, {Name: "llama", Tools: true}}
	down := &provider.Error{Kind: provider.KindUnavailable, Text: "no server answers"}
	for _, test := range []struct {
		name           string
		model          *providertest.Script
		wanted, others string
		want           string
		kind           provider.Kind
	}{
		{"wanted", &providertest.Script{Models: library}, "embed", "llama", "embed", 0},
		{"wanted but missing", &providertest.Script{Models: library}, "mistral", "llama", "", provider.KindMissing},
		{"last", &providertest.Script{Models: library}, "", "llama", "llama", 0},
		{"last was removed", &providertest.Script{Models: library}, "", "mistral", "qwen", 0},
		{"first with tools", &providertest.Script{Models: library}, "", "", "qwen", 0},
		{"none with tools", &providertest.Script{Models: library[:1]}, "", "", "embed", 0},
		{"next after removed ones", &providertest.Script{Models: library}, "", "mistral,,llama,qwen", "llama", 0},
		{"empty", &providertest.Script{}, "", "", "", provider.KindMissing},
		{"down", &providertest.Script{Down: down}, "", "", "", provider.KindUnavailable},
		{"down with last", &providertest.Script{Down: down}, "", "llama", "", provider.KindUnavailable},
		{"odd failure", &providertest.Script{Down: errors.New("boom")}, "qwen", "", "", provider.KindFailed},
	} {
		info, err := provider.Choose(t.Context(), test.model, test.wanted, strings.Split(test.others, ",")...)
		if test.want != "" {
			if err != nil || info.Name != test.want {
				t.Errorf("%s: %q was chosen with the error %v", test.name, info.Name, err)
			}
			continue
		}
		if e, ok := errors.AsType[*provider.Error](err); !ok || e.Kind != test.kind {
			t.Errorf("%s: the error is %#v", test.name, err)
		}
	}
}
