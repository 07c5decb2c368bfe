package openai

import (
	"strings"

	"github.com/aloudchat/aloud/provider/endpoint"
)

// entry is a model in a server's list, with the fields that servers add to the standard.
type entry struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Type    string `json:"type"` // "embeddings"; Together. "vlm": LM Studio

	MaxModelLen      endpoint.Count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    endpoint.Count `json:"context_length"`        // OpenRouter, Together
	ContextWindow    endpoint.Count `json:"context_window"`        // Groq
	MaxContextLength endpoint.Count `json:"max_context_length"`    // Mistral
	LoadedContext    endpoint.Count `json:"loaded_context_length"` // LM Studio
	Meta             struct {
		Size endpoint.Count `json:"size"`
	} `json:"meta"` // llama.cpp
}

// context returns the smallest context in the entry, 0 if it has none.
func (e *entry) context() int {
	least := 0
	for _, n := range []endpoint.Count{e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats reports whether a model can chat, unlike embedding models.
func (e *entry) chats() bool {
	return e.Type != "embeddings" && e.Type != "embedding" && !strings.Contains(strings.ToLower(e.ID), "embed")
}
