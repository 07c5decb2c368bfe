package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Choose finds the model to use: wanted if not "", else the first of others that exists, else the first in the library
// that can use tools, else the first. The error is an *Error: KindUnavailable, or KindMissing with a model to download.
func Choose(ctx context.Context, m Model, wanted string, others ...string) (info Info, err error) {
	defer func() {
		if err != nil {
			err = AsError(err)
		}
	}()
	if wanted != "" {
		return m.Describe(ctx, wanted)
	}
	for _, name := range others {
		if name == "" {
			continue
		}
		info, err := m.Describe(ctx, name)
		if kind, failed := kindOf(err); !failed || kind != KindMissing {
			return info, err
		}
	}
	library, ok := m.(Library)
	if !ok {
		return Info{}, &Error{Kind: KindMissing, Text: "no model chosen", Hint: "choose one with --model"}
	}
	models, err := library.List(ctx)
	if err != nil {
		return Info{}, err
	}
	if len(models) == 0 {
		return Info{}, &Error{Kind: KindMissing, Text: "no models installed", Hint: "download one with: ollama pull qwen3:8b"}
	}
	return firstWithTools(ctx, m, models)
}

// firstWithTools describes the first model listed with tools. Older servers do not list capabilities: then it
// describes each model in turn.
func firstWithTools(ctx context.Context, m Model, models []Info) (Info, error) {
	if i := slices.IndexFunc(models, func(m Info) bool { return m.Tools }); i >= 0 {
		models = models[i : i+1]
	}
	var first Info
	var firstErr error
	for i, listed := range models {
		info, err := m.Describe(ctx, listed.Name)
		if err == nil && info.Tools {
			return info, nil
		}
		if i == 0 {
			first, firstErr = info, err
		}
	}
	return first, firstErr
}

// SameModel reports whether two names refer to the same model. Ollama's tag "latest" is optional.
func SameModel(a, b string) bool {
	const usual = ":latest"
	return strings.TrimSuffix(strings.ToLower(a), usual) == strings.TrimSuffix(strings.ToLower(b), usual)
}

// AsError converts an error of a model to an *Error. err must not be nil.
func AsError(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Kind: KindFailed, Text: fmt.Sprintf("the model server failed: %v", err), Hint: "try again", Err: err}
}

// kindOf returns the Kind of err. ok is false if err is nil.
func kindOf(err error) (kind Kind, ok bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind, true
	}
	return KindFailed, err != nil
}
