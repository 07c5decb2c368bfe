package ollama

import (
	"slices"
	"strings"

	"github.com/pbnjay/memory"

	"github.com/aloudchat/aloud/provider"
)

// headroom is the share of the memory, one in headroom, that stays free for the system, for computing, and for the
// contexts of parallel requests.
const headroom = 4

// withMemory sets Memory to the bytes that remain for the context, if that is known.
//
// It uses the main memory, because the server does not report the size of the GPU's memory. A model that does not fit
// is assumed to run on a GPU. It is wrong for a server at a local address that runs elsewhere, behind a tunnel or in
// a container with less memory.
func (c *Client) withMemory(info provider.Info) provider.Info {
	if c.Local() && !info.Remote && info.Size > 0 {
		total := int64(min(memory.TotalMemory(), 1<<62))
		info.Memory = max(0, total-total/headroom-info.Size)
		info.TooLarge = info.Size > total-total/headroom
	}
	return info
}

// Parts of the keys of models whose memory per token is not proportional to layers and heads.
var (
	// uncutCaches keep only the nearest tokens, or have a state of fixed size in some layers.
	uncutCaches = []string{
		"sliding_window", "chunk", "ssm.", "wkv", "shortconv", "linear", "recurrent", "full_attention_interval",
	}
	// otherCaches compress or share it.
	otherCaches = []string{"kv_lora_rank", "_mla", "cross_attention", "shared_kv", "compress", "indexer"}
)

// perToken returns the bytes of memory of a token of the context with the default 16-bit numbers, 0 if unknown.
func perToken(shown map[string]any) int64 {
	if hasKey(shown, uncutCaches) || hasKey(shown, otherCaches) {
		return 0
	}
	architecture, _ := shown["general.architecture"].(string)
	number := func(key string) int64 { return count(shown[architecture+"."+key]) }
	heads := number("attention.head_count")
	shared := heads // heads with keys and values in each layer
	if shown[architecture+".attention.head_count_kv"] != nil {
		shared = number("attention.head_count_kv") // 0 for a list with a number per layer
	}
	key, value := number("attention.key_length"), number("attention.value_length")
	if heads > 0 && (key == 0 || value == 0) {
		key = number("embedding_length") / heads
		value = key
	}
	const bytes = 2
	return bytes * number("block_count") * shared * (key + value)
}

// uncut reports whether the server cannot cut the cache of a model, only extend it: see provider.Info.
func uncut(shown map[string]any) bool { return hasKey(shown, uncutCaches) }

// hasKey reports whether the architecture has a key with one of the parts.
func hasKey(shown map[string]any, parts []string) bool {
	architecture, _ := shown["general.architecture"].(string)
	for key := range shown {
		own, isOwn := strings.CutPrefix(key, architecture+".")
		if isOwn && slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(own, part) }) {
			return true
		}
	}
	return false
}

// count returns a number of a model's description, or 0 if it is implausible.
func count(value any) int64 {
	n, _ := value.(float64)
	if n < 1 || n > 1<<20 {
		return 0
	}
	return int64(n)
}
