package provider_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
)

func TestScriptStopsWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, step := range map[string]provider.Step{"a wait": {Wait: time.Hour, Text: "late"}, "a block": {Block: true}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			model := &provider.Script{Replies: []provider.Reply{{step}}}
			began := time.Now()
			for chunk, err := range model.Chat(ctx, provider.Request{}) {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s gave %+v, %v", name, chunk, err)
				}
			}
			cancel()
			if took := time.Since(began); took != time.Second {
				t.Errorf("%s took %v", name, took)
			}
		}
	})
}

func TestScriptRunsOut(t *testing.T) {
	model := &provider.Script{}
	for _, err := range model.Chat(t.Context(), provider.Request{}) {
		if err == nil || err.Error() != "the script has only 0 replies" {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestScriptPulls(t *testing.T) {
	model := &provider.Script{Models: []provider.Info{{Name: "a"}}}
	steps := 0
	for _, err := range model.Pull(t.Context(), "b") {
		if err != nil {
			t.Fatal(err)
		}
		steps++
	}
	if info, err := model.Describe(t.Context(), "b"); err != nil || !info.Tools || steps != 2 {
		t.Errorf("after %d steps the model is %+v, %v", steps, info, err)
	}
}
