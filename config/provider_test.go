package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

// providers is a file with a provider of each kind.
const providers = `
model = "top"
base_url = "http://top:8000/v1/"
api_key_env = "TOP_KEY"
[providers.gpu]
base_url = "https://me:hunter22@${GPU}/v1"
api_key_env = "GPU_KEY"
http_headers = { X-Team = "the-team" }
env_http_headers = { X-Gate = "GATE" }
ca_file = "~/gpu.pem"
model = "qwen"
context = 32768
[providers.box]
type = "ollama"
host = "box"
`

func TestChosen(t *testing.T) {
	path := write(t, providers)
	env := []string{
		"GPU=gpu.example", "GPU_KEY=sk-gpu-12345\n", "GATE=gate-12345", "TOP_KEY=sk-top-12345", "OLLAMA_HOST=elsewhere",
	}
	choose := func(flags map[string]string, more ...string) *config.Config {
		t.Helper()
		c, err := config.Load(config.LoadOptions{Path: path, Env: environment(t, slices.Concat(env, more)...), Flags: flags})
		must(t, err)
		return c
	}

	c := choose(nil, "ALOUD_PROVIDER=gpu")
	p := c.Chosen()
	if p.Name != "gpu" || p.Type != config.TypeOpenAI || p.Address() != "https://me:hunter22@gpu.example/v1" ||
		p.Key != "sk-gpu-12345" || strings.HasPrefix(p.CAFile, "~") || p.Model != "qwen" || p.Context != 32768 ||
		!maps.Equal(p.Headers, map[string]string{"X-Team": "the-team", "X-Gate": "gate-12345"}) {
		t.Errorf("%+v", p)
	}
	origins := []string{c.Origin("provider"), c.Origin("base_url"), c.Origin("model"), c.Origin("context")}
	want := []string{"environment ALOUD_PROVIDER", "file config.toml:6", "file config.toml:11", "file config.toml:12"}
	if !slices.Equal(origins, want) {
		t.Errorf("origins are %q", origins)
	}
	if got := c.Mask("sk-gpu-12345 gate-12345 the-team hunter22"); got != "••• ••• ••• •••" {
		t.Errorf("masked: %q", got)
	}

	// Flags and the environment win over the table.
	c = choose(map[string]string{"provider": "gpu", "model": "mine", "host": "other:9"})
	if p := c.Chosen(); p.Model != "mine" || p.Address() != "http://other:9" || c.Origin("base_url") != "flag --host" {
		t.Errorf("%+v", p)
	}
	if c = choose(map[string]string{"provider": "gpu"}, "ALOUD_MODEL=mine"); c.Model != "mine" || c.FileModel != "qwen" {
		t.Errorf("the model is %q, and in the file %q", c.Model, c.FileModel)
	}

	c = choose(map[string]string{"provider": "openai"})
	if p := c.Chosen(); p.Address() != "http://top:8000/v1" || p.Key != "sk-top-12345" || p.Model != "top" ||
		c.FileModel != "top" {
		t.Errorf("%+v", p)
	}

	// The host of the table wins over OLLAMA_HOST.
	c = choose(map[string]string{"provider": "box"})
	if p := c.Chosen(); p.Address() != "http://box:11434" || c.Origin("host") != "file config.toml:15" {
		t.Errorf("%+v", p)
	}
	c = choose(nil)
	if p := c.Chosen(); p.Type != config.TypeOllama || p.Address() != "http://elsewhere:11434" || p.Key != "" {
		t.Errorf("%+v", p)
	}
	c = choose(map[string]string{"demo": "true"}, "ALOUD_PROVIDER=gpu")
	if p := c.Chosen(); p.Type != config.TypeDemo || p.Address() != "" {
		t.Errorf("%+v", p)
	}
}

func TestUnsetVariablesOfProvider(t *testing.T) {
	c := load(t, providers)
	if len(c.Providers) != 2 || c.Providers[0].Key != "" {
		t.Errorf("%+v", c.Providers)
	}
	got := mistakes(t, "provider = 'gpu'"+providers)
	want := []string{
		`6:1: "base_url" uses environment variables that are not set: GPU. Set them, or write ${NAME:-default}`,
		`7:1: "api_key_env" names the environment variable "GPU_KEY", which is not set`,
		`9:22: "env_http_headers" names the environment variable "GATE", which is not set`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = mistakes(t, "provider = 'openai'"+providers)
	if len(got) != 1 || got[0] != `4:1: "api_key_env" names the environment variable "TOP_KEY", which is not set` {
		t.Errorf("got %q", got)
	}
}

func TestUnknownProviderOutsideFile(t *testing.T) {
	for want, o := range map[string]config.LoadOptions{
		`--provider is "gpu"; it must be "ollama", "openai" or "demo"`: {Flags: map[string]string{"provider": "gpu"}},
		`ALOUD_PROVIDER is "opnai"; did you mean "openai"?`:            {Env: environment(t, "ALOUD_PROVIDER=opnai")},
	} {
		if o.Env == nil {
			o.Env = environment(t)
		}
		if _, err := config.Load(o); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}
