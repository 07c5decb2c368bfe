package openai

import (
	"slices"
	"strconv"
	"strings"
)

// entry is a model in the list of a server, with the fields that servers add to the standard.
type entry struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Type    string `json:"type"`  // "llm", "vlm", "embeddings"; LM Studio's, and Together's
	State   string `json:"state"` // "loaded"; LM Studio's own API

	MaxModelLen      count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    count `json:"context_length"`        // OpenRouter, Together
	MaxContextLength count `json:"max_context_length"`    // Mistral
	LoadedContext    count `json:"loaded_context_length"` // LM Studio
	Quantization     string
	Meta             struct {
		Trained count `json:"n_ctx_train"`
		Size    count `json:"size"`
	} `json:"meta"` // llama.cpp
}

// count is a number that may be missing, null or anything else.
type count int

// UnmarshalJSON ignores anything that is not a sensible number.
func (n *count) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > 0 && f < 1<<52 {
		*n = count(f)
	}
	return nil
}

// context is the smallest context in the entry: a server gives a model less than it was trained for. LM Studio
// decides it when it loads the model.
func (e *entry) context() int {
	if e.State != "" {
		return int(e.LoadedContext)
	}
	least := 0
	for _, n := range []count{e.MaxModelLen, e.ContextLength, e.MaxContextLength, e.Meta.Trained} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats reports whether a model can chat, and not only embed.
func (e *entry) chats() bool {
	return e.Type != "embeddings" && e.Type != "embedding" && !strings.Contains(strings.ToLower(e.ID), "embed")
}

// find looks for a model by its name. Ollama's tag "latest" may be left out.
func find(entries []entry, name string) (entry, bool) {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.ID == name || e.ID == name+":latest" })
	if i < 0 {
		return entry{}, false
	}
	return entries[i], true
}
