package openai

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// entry is a model in the list of a server, with the fields in which the many servers say more than the standard has.
type entry struct {
	ID      string   `json:"id"`
	OwnedBy string   `json:"owned_by"`
	Type    string   `json:"type"` // "llm", "vlm", "embeddings"; LM Studio's, and Together's
	Aliases []string `json:"aliases"`
	State   string   `json:"state"` // "loaded"; LM Studio's own API

	MaxModelLen      count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    count `json:"context_length"`        // OpenRouter, Together
	ContextWindow    count `json:"context_window"`        // Groq
	MaxContextLength count `json:"max_context_length"`    // Mistral, LM Studio
	LoadedContext    count `json:"loaded_context_length"` // LM Studio
	Quantization     string
	Meta             struct {
		Trained count `json:"n_ctx_train"`
		Params  count `json:"n_params"`
		Size    count `json:"size"`
	} `json:"meta"` // llama.cpp
	Metadata struct {
		ModelID    string `json:"model_id"`
		MaxContext count  `json:"max_request_context_length"`
		Modality   string `json:"input_modality"`
	} `json:"metadata"` // Ray Serve
	Capabilities abilities `json:"capabilities"`
	Parameters   []string  `json:"supported_parameters"` // OpenRouter
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"`
}

// count is a number that may be missing, null or anything else.
type count int

// UnmarshalJSON takes what is no sensible number for none.
func (n *count) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > 0 && f < 1<<52 {
		*n = count(f)
	}
	return nil
}

// abilities are a list of words or a table of truths.
type abilities map[string]bool

// UnmarshalJSON takes what is neither for nothing told.
func (a *abilities) UnmarshalJSON(data []byte) error {
	var list []string
	var table map[string]any
	*a = nil
	if json.Unmarshal(data, &list) == nil {
		for _, word := range list {
			a.set(word, true)
		}
		return nil
	}
	_ = json.Unmarshal(data, &table)
	for word, v := range table {
		if yes, ok := v.(bool); ok {
			a.set(word, yes)
		}
	}
	return nil
}

func (a *abilities) set(word string, yes bool) {
	if *a == nil {
		*a = abilities{}
	}
	(*a)[word] = yes
}

// owner is which program lists the model: most servers name themselves as the owner.
func (e *entry) owner() string {
	if e.Metadata.ModelID != "" && e.OwnedBy == "organization-owner" { // the words of OpenAI's example, which others repeat, too
		return "ray"
	}
	return strings.ToLower(e.OwnedBy)
}

// fill puts into info what the entry tells.
func (e *entry) fill(info *provider.Info) {
	info.Context, info.Size, info.Params, info.Quant = e.context(), int64(e.Meta.Size), params(e.Meta.Params), e.Quantization
	if tools, told := e.Capabilities["function_calling"]; told {
		info.Tools = tools
	}
	if len(e.Parameters) > 0 {
		info.Tools = slices.Contains(e.Parameters, "tools")
		info.Thinking = slices.Contains(e.Parameters, "reasoning")
	}
	info.Vision = e.Capabilities["vision"] || e.Type == "vlm" || e.Metadata.Modality == "image" || slices.Contains(e.Architecture.Inputs, "image")
	info.Thinking = info.Thinking || e.Capabilities["reasoning"]
}

// context is the smallest of what is told: what a model was trained for is more than what a server gives it.
func (e *entry) context() int {
	least := 0
	for _, n := range []count{e.LoadedContext, e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength, e.Metadata.MaxContext, e.Meta.Trained} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats tells a model that can chat from one that only embeds.
func (e *entry) chats() bool {
	completes, told := e.Capabilities["completion_chat"]
	return e.ID != "" && e.Type != "embeddings" && e.Type != "embedding" && (completes || !told) && !strings.Contains(strings.ToLower(e.ID), "embed")
}

// listing is {"data": [models]}, or the models alone.
type listing struct{ entries []entry }

// UnmarshalJSON leaves out what is no model.
func (l *listing) UnmarshalJSON(data []byte) error {
	var whole struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		if json.Unmarshal(data, &whole.Data) != nil {
			return err
		}
	}
	if text := provider.ErrorText(data); text != "" && len(whole.Data) == 0 { // LM Studio says so with a success
		return errors.New(text)
	}
	for _, raw := range whole.Data {
		var e entry
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			l.entries = append(l.entries, e)
		}
	}
	return nil
}

// find looks for a model by its name. Ollama's tag "latest" and Google's "models/" may be left out.
func find(entries []entry, name string) (entry, bool) {
	for _, e := range entries {
		if e.ID == name || e.ID == name+":latest" || e.ID == "models/"+name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return entry{}, false
}

// params writes a number of parameters as people do: 8.2B.
func params(n count) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + "B"
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 0, 64) + "M"
	}
	return ""
}
