package ollama

import (
	"context"
	"runtime"
)

// Fits implements provider.Memory. It is known of a model that is in memory already, or runs elsewhere. Of others it can be proven only that
// they do not fit: how many models a server keeps at the most (OLLAMA_MAX_LOADED_MODELS) and how large its GPU is, it does not tell.
func (c *Client) Fits(ctx context.Context, model string) (fits, known bool) {
	if c.remote(ctx, model) {
		return true, true
	}
	loaded, err := c.Loaded(ctx)
	if err != nil {
		return false, false
	}
	for _, m := range loaded {
		if fullName(m.Name) == fullName(model) {
			return true, true
		}
	}
	size := c.size(ctx, model)
	if size == 0 {
		return false, false
	}
	machine := int64(0)
	if c.Local() {
		machine = machineMemory()
	}
	return false, gpuIsFull(loaded, size) || machineIsFull(loaded, size, machine, runtime.GOOS == "darwin")
}

// leftByEngines is how much memory of a GPU an engine may leave free though a model does not fit into it.
const leftByEngines = 1 << 30

// gpuIsFull tells whether a model of size bytes has no room on the GPU, seeing that the engine had to leave a part of another model in the
// processor's memory: it does so when less than one layer more would go in. Hardly a model has less than eight layers. Beside others, servers
// take in a model only when it fits as a whole.
func gpuIsFull(loaded []Loaded, size int64) bool {
	for _, m := range loaded {
		if m.VRAM > 0 && m.VRAM < m.Size && size > max(m.Size/8, leftByEngines) {
			return true
		}
	}
	return false
}

// machineIsFull tells whether a model of size bytes has no room beside the others in the memory of the processor, which is all that the GPU
// has, too, on a machine where they share it. Where they do not, and a part of a model is on a GPU, nothing is proven; nor when there is more
// in memory than this machine has, because then the server runs on another one, behind a tunnel.
func machineIsFull(loaded []Loaded, size, total int64, shared bool) bool {
	used := int64(0)
	for _, m := range loaded {
		if m.VRAM != 0 && !shared || m.Size < 0 || m.Size > total {
			return false
		}
		used += m.Size
		if used > total {
			return false
		}
	}
	return used > 0 && size > total-used
}

// size is how many bytes a model has on the server's disk; 0: unknown.
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
