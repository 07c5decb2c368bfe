// Package tinymodel writes language models of 3 MB that play scripts, so that tests can run a real Ollama server
// without downloading a model.
//
// The model is a lookup table in the form of a llama. Attention and feed-forward add nothing, so each token alone
// decides the next. Every reply of a script is a chain of tokens that occur nowhere else. The chat template ends the
// prompt with the start token of a script and step. It looks for the last [[name]] in the messages of the user and
// the tools.
//
//	[[chain]] how many are there?     the first reply of the script "chain", then its second, …
//
// A tool result with a [[name]] continues with that script, which proves that the result reached the model. When aloud
// asks the model again, the model plays the script "chain/again".
package tinymodel

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// A Step is one reply of the model.
type Step struct {
	Think        string // reasoning before the reply, if the request asks the model to think
	ThinkForever bool   // the reasoning starts again after its last word
	Text         string // the reply, with tool calls as <tool_call>{…}</tool_call>
	Forever      bool   // the reply starts again after its last word
	Stuck        bool   // the last word repeats without end
}

// A Script is the replies of the model in a conversation.
type Script []Step

// Fallback is the script for messages that name no script. Write requires it.
const Fallback = "default"

// maxContext is the context length in the metadata.
const maxContext = 131072

// Write writes a model that plays the scripts as a GGUF file. The output is deterministic.
func Write(w io.Writer, scripts map[string]Script) error {
	if len(scripts[Fallback]) == 0 {
		return fmt.Errorf("no script %q with at least one step", Fallback)
	}
	v := newVocabulary()
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		for i, step := range scripts[name] {
			if err := v.addStep(name, i, step); err != nil {
				return fmt.Errorf("step %d of script %q: %w", i, name, err)
			}
		}
	}
	v.closeEnds(v.start(Fallback, 0, false))

	codes, err := newCodes(v.next)
	if err != nil {
		return err
	}
	return writeGGUF(w, metadata(v, codes.dim()), tensors(codes))
}

// The smallest sizes of a valid llama.
const (
	headSize        = 32
	feedForwardSize = 32
)

func metadata(v *vocabulary, dim int) map[string]any {
	return map[string]any{
		"general.architecture":                   "llama",
		"general.name":                           "tiny",
		"general.file_type":                      uint32(1), // float16
		"llama.block_count":                      uint32(1),
		"llama.context_length":                   uint32(maxContext),
		"llama.embedding_length":                 uint32(dim),
		"llama.feed_forward_length":              uint32(feedForwardSize),
		"llama.attention.head_count":             uint32(1),
		"llama.attention.head_count_kv":          uint32(1),
		"llama.attention.key_length":             uint32(headSize),
		"llama.attention.value_length":           uint32(headSize),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-6),
		"llama.rope.dimension_count":             uint32(headSize),
		"llama.rope.freq_base":                   float32(10000),
		"llama.vocab_size":                       uint32(len(v.texts)),
		"tokenizer.ggml.model":                   "gpt2", // byte-level BPE
		"tokenizer.ggml.pre":                     "default",
		"tokenizer.ggml.tokens":                  v.texts,
		"tokenizer.ggml.token_type":              v.kinds,
		"tokenizer.ggml.merges":                  v.merges,
		"tokenizer.ggml.eos_token_id":            uint32(v.end),
		"tokenizer.ggml.bos_token_id":            uint32(v.end),
		"tokenizer.ggml.padding_token_id":        uint32(v.end),
		"tokenizer.ggml.add_bos_token":           false,
		"tokenizer.ggml.add_eos_token":           false,
	}
}

func tensors(c *codes) []tensor {
	dim, tokens := c.dim(), len(c.next)
	one := func(int, int) float32 { return 1 }
	zero := func(int, int) float32 { return 0 }
	return []tensor{
		{name: "token_embd.weight", cols: dim, rows: tokens, half: true, at: c.embedding},
		{name: "blk.0.attn_norm.weight", cols: dim, at: one},
		{name: "blk.0.attn_q.weight", cols: dim, rows: headSize, half: true, at: zero},
		{name: "blk.0.attn_k.weight", cols: dim, rows: headSize, half: true, at: zero},
		{name: "blk.0.attn_v.weight", cols: dim, rows: headSize, half: true, at: zero},
		{name: "blk.0.attn_output.weight", cols: headSize, rows: dim, half: true, at: zero},
		{name: "blk.0.ffn_norm.weight", cols: dim, at: one},
		{name: "blk.0.ffn_gate.weight", cols: dim, rows: feedForwardSize, half: true, at: zero},
		{name: "blk.0.ffn_up.weight", cols: dim, rows: feedForwardSize, half: true, at: zero},
		{name: "blk.0.ffn_down.weight", cols: feedForwardSize, rows: dim, half: true, at: zero},
		{name: "output_norm.weight", cols: dim, at: one},
		{name: "output.weight", cols: dim, rows: tokens, half: true, at: c.output},
	}
}
