package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// entry is a model in the list of a server, with the fields that servers add to the standard.
type entry struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Type    string `json:"type"`  // "llm", "vlm", "embeddings"; LM Studio's, and Together's
	State   string `json:"state"` // "loaded"; LM Studio's own API

	MaxModelLen      count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    count `json:"context_length"`        // OpenRouter, Together
	ContextWindow    count `json:"context_window"`        // Groq
	MaxContextLength count `json:"max_context_length"`    // Mistral, LM Studio
	LoadedContext    count `json:"loaded_context_length"` // LM Studio
	Quantization     string
	Meta             struct {
		Trained count `json:"n_ctx_train"`
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

// UnmarshalJSON ignores anything that is not a sensible number.
func (n *count) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > 0 && f < 1<<52 {
		*n = count(f)
	}
	return nil
}

// abilities are Mistral's. Other servers have lists of words here, which are ignored.
type abilities struct {
	Tools    *bool `json:"function_calling"`
	Chat     *bool `json:"completion_chat"`
	Vision   bool  `json:"vision"`
	Thinking bool  `json:"reasoning"`
}

// UnmarshalJSON ignores other forms.
func (a *abilities) UnmarshalJSON(data []byte) error {
	type plain abilities
	_ = json.Unmarshal(data, (*plain)(a))
	return nil
}

// owner is which program lists the model: most servers name themselves as the owner.
func (e *entry) owner() string {
	if e.Metadata.ModelID != "" && e.OwnedBy == "organization-owner" { // the words of OpenAI's example, which others repeat, too
		return "ray"
	}
	return strings.ToLower(e.OwnedBy)
}

// fill copies what the entry says to info.
func (e *entry) fill(info *provider.Info) {
	info.Context, info.Size, info.Quant = e.context(), int64(e.Meta.Size), e.Quantization
	if e.Capabilities.Tools != nil {
		info.Tools = *e.Capabilities.Tools
	}
	if len(e.Parameters) > 0 {
		info.Tools = slices.Contains(e.Parameters, "tools")
	}
	info.Vision = e.Capabilities.Vision || e.Type == "vlm" || e.Metadata.Modality == "image" || slices.Contains(e.Architecture.Inputs, "image")
	info.Thinking = e.Capabilities.Thinking || slices.Contains(e.Parameters, "reasoning")
}

// context is the smallest context in the entry: a server gives a model less than it was trained for. LM Studio
// decides it when it loads the model.
func (e *entry) context() int {
	if e.State != "" {
		return int(e.LoadedContext)
	}
	least := 0
	for _, n := range []count{e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength, e.Metadata.MaxContext, e.Meta.Trained} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats reports whether a model can chat, and not only embed.
func (e *entry) chats() bool {
	chat := e.Capabilities.Chat
	return e.ID != "" && e.Type != "embeddings" && e.Type != "embedding" && (chat == nil || *chat) && !strings.Contains(strings.ToLower(e.ID), "embed")
}

// find looks for a model by its name. Ollama's tag "latest" may be left out.
func find(entries []entry, name string) (entry, bool) {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.ID == name || e.ID == name+":latest" })
	if i < 0 {
		return entry{}, false
	}
	return entries[i], true
}
