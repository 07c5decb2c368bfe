package ollama

import (
	"context"
	"strings"

	"github.com/pbnjay/memory"

	"github.com/aloudchat/aloud/provider"
)

// headroom is the part of a machine's memory that is left to everything else: the system, what the engine needs to
// compute, and the other contexts of a server that serves several requests at once, which it does not tell.
const headroom = 4

// fits sets what the context of a model takes and may take, as far as that is known: Size, PerToken and Memory.
func (c *Client) fits(ctx context.Context, info provider.Info, shown map[string]any) provider.Info {
	info.PerToken = perToken(shown)
	if !c.Local() || info.Remote {
		return info
	}
	info.Size = c.size(ctx, info.Name)
	info.Memory = left(int64(min(memory.TotalMemory(), 1<<62)), info.Size)
	return info
}

// size is how many bytes a model has on the server's disk; 0 if unknown.
func (c *Client) size(ctx context.Context, model string) int64 {
	listed, err := c.List(ctx)
	if err != nil {
		return 0
	}
	for _, m := range listed {
		if fullName(m.Name) == fullName(model) {
			return max(0, m.Size)
		}
	}
	return 0
}

// left is what a machine with total bytes of memory has for the context of a model of size bytes; 0 if unknown.
//
// This is the memory of the processor. A server tells how much of a model in memory is on a GPU ("size_vram"), but
// not how large that GPU's memory is; on a Mac both are the same. So a model that does not fit here is taken to run
// on a GPU, and nothing is claimed of it. Nor can it be seen that a server at a local address runs elsewhere, behind
// a tunnel or in a container with less memory.
func left(total, size int64) int64 {
	if total <= 0 || size <= 0 {
		return 0
	}
	return max(0, total-total/headroom-size)
}

// otherwise are parts of keys of models whose memory for a token is not the product of layers and heads: they keep a
// compressed form, only the nearest tokens, or a state of fixed size in some layers.
var otherwise = []string{
	"kv_lora_rank", "_mla", "sliding_window", "ssm.", "wkv", "shortconv", "linear", "recurrent", "full_attention_interval",
	"cross_attention", "shared_kv", "compress", "indexer", "chunk",
}

// perToken is how many bytes of memory a token of the context takes, with numbers of 16 bits as is the default; 0:
// unknown.
func perToken(shown map[string]any) int64 {
	architecture, _ := shown["general.architecture"].(string)
	if architecture == "" {
		return 0
	}
	for key := range shown {
		own, isOwn := strings.CutPrefix(key, architecture+".")
		for _, part := range otherwise {
			if isOwn && strings.Contains(own, part) {
				return 0
			}
		}
	}
	number := func(key string) int64 { return count(shown[architecture+"."+key]) }
	heads := number("attention.head_count")
	shared := heads // heads with keys and values, in each layer
	if shown[architecture+".attention.head_count_kv"] != nil {
		shared = number("attention.head_count_kv") // 0 for a list with a number for each layer
	}
	key, value := number("attention.key_length"), number("attention.value_length")
	if heads > 0 && (key == 0 || value == 0) {
		key = number("embedding_length") / heads
		value = key
	}
	const bytes = 2
	return bytes * number("block_count") * shared * (key + value)
}

// count is a number of a model's description, or 0 when it is none that a model could have.
func count(value any) int64 {
	n, _ := value.(float64)
	if n < 1 || n > 1<<20 {
		return 0
	}
	return int64(n)
}
