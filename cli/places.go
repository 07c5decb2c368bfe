package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pbnjay/memory"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/openai"
	"github.com/aloudchat/aloud/ui"
	"github.com/aloudchat/aloud/ui/dialog"
)

// usualPorts are those of LM Studio, llama.cpp and vLLM.
var usualPorts = []int{1234, 8080, 8000}

// The time that servers have to list their models, on this machine and elsewhere.
const (
	hereTime      = 300 * time.Millisecond
	elsewhereTime = 5 * time.Second
)

// around has the other places for models that the chat may offer.
func (c *chatParts) around() ui.Around {
	a := ui.Around{Demo: dialog.Place{Provider: config.TypeDemo}, Look: placesHere, Visit: placeAt, File: c.cfg.Path}
	if client, ok := c.Chat.Model.(*ollama.Client); ok && client.Local() {
		a.Memory = int64(min(memory.TotalMemory(), 1<<62))
	}
	return a
}

// placesHere returns the model servers on this machine. It only asks for their models, and sends no key.
func placesHere(ctx context.Context) []dialog.Place {
	ctx, cancel := context.WithTimeout(ctx, hereTime)
	defer cancel()
	found := make([]dialog.Place, len(usualPorts))
	var asked sync.WaitGroup
	for i, port := range usualPorts {
		asked.Go(func() { found[i], _ = openAIAt(ctx, fmt.Sprintf("http://127.0.0.1:%d", port)) })
	}
	asked.Wait()
	return slices.DeleteFunc(found, func(p dialog.Place) bool { return p.Address == "" })
}

// placeAt returns the server at an address that you typed: Ollama, or else an OpenAI-compatible one.
func placeAt(ctx context.Context, address string) (dialog.Place, error) {
	if address = strings.TrimSpace(address); !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if _, err := netaddr.ParseBase(address); err != nil {
		return dialog.Place{}, fmt.Errorf("what you typed %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereTime)
	defer cancel()
	if client, err := ollama.New(strings.TrimSuffix(address, "/v1")); err == nil {
		if models, err := client.List(ctx); err == nil {
			return place(config.TypeOllama, client.Address(), models), nil
		}
	}
	p, err := openAIAt(ctx, address)
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KindUnavailable {
		e.Hint = "check the address, and that the server is running"
	}
	return p, err
}

func openAIAt(ctx context.Context, address string) (dialog.Place, error) {
	client, err := openai.New(openai.Options{BaseURL: address})
	if err != nil {
		return dialog.Place{}, err
	}
	models, err := client.List(ctx)
	if err != nil {
		return dialog.Place{}, err
	}
	return place(config.TypeOpenAI, client.Address(), models), nil
}

func place(kind, address string, models []provider.Info) dialog.Place {
	p := dialog.Place{Provider: kind, Address: address}
	for _, m := range models {
		p.Models = append(p.Models, m.Name)
	}
	return p
}

// movedTo returns the flags of the chat that goes on at another place, with the same conversation. The demo begins a
// new one, because its answers are made up.
func (f flags) movedTo(to *ui.Moved) flags {
	f.moved, f.cont, f.resume = to, false, to.Session
	if to.Provider == config.TypeDemo {
		f.resume = ""
	}
	return f
}

// moveTo changes the given flags to those of a place.
func moveTo(p dialog.Place, given map[string]string) {
	delete(given, "host")
	delete(given, "demo")
	delete(given, "model") // of another server
	if given["provider"] = p.Provider; p.Provider == config.TypeDemo {
		return
	}
	given["host"] = p.Address
}

// keep writes the place to the configuration file, if you want that.
func (c *chatParts) keep(moved *ui.Moved) error {
	if !moved.Keep {
		return nil
	}
	moved.Keep = false // done
	if err := config.SetServer(c.cfg.Path, os.LookupEnv, moved.Provider, moved.Address); err != nil {
		return fmt.Errorf("the address is not kept: %w", err)
	}
	return nil
}
