package ollama

import (
	"fmt"
	"net/url"
	"testing"
)

func TestFits(t *testing.T) {
	const huge = int64(9e15) // more than any machine has
	one := func(size, vram int64) string {
		return fmt.Sprintf(`{"models":[{"name":"main:latest","size":%d,"size_vram":%d,"context_length":8192}]}`, size, vram)
	}
	for _, tt := range []struct {
		name        string
		ps          string
		model       string
		fits, known bool
	}{
		{"it is in memory", `{"models":[{"name":"small:latest","size":10}]}`, "small", true, true},
		{"it runs elsewhere", `nonsense`, "far", true, true},
		{"nothing is in memory", `{"models":[]}`, "huge", false, false},
		{"a server that does not tell", `nonsense`, "small", false, false},
		{"a model that nobody knows", one(1000, 0), "gone", false, false},
		{"a model without a size", one(1000, 0), "empty", false, false},
		{"room on the processor, and how many models it keeps is not known", one(1000, 0), "small", false, false},
		{"no room on the processor", one(1000, 0), "huge", false, true},
		{"more in memory than there is: the server is elsewhere", one(huge, 0), "huge", false, false},
		{"all of it on a GPU, however large that is", one(1000, 1000), "middle", false, false},
		{"a part is not on the GPU", one(20<<30, 15<<30), "middle", false, true},
		{"a part is not on the GPU, but what is left there may do", one(20<<30, 15<<30), "small", false, false},
		{"numbers that cannot be", one(-5, -9), "small", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux, _ := listing(tt.ps)
			mux.HandleFunc("POST /api/show", remoteIsFar)
			mux.HandleFunc("GET /api/tags", answers(200, "application/json", fmt.Sprintf(`{"models":[{"name":"small:latest","size":1000},`+
				`{"name":"middle:latest","size":%d},{"name":"huge:latest","size":%d},{"name":"empty:latest"}]}`, int64(3)<<30, huge)))
			if fits, known := clientOf(t, mux).Fits(t.Context(), tt.model); fits != tt.fits || known != tt.known {
				t.Errorf("got %v, known %v; want %v, %v", fits, known, tt.fits, tt.known)
			}
		})
	}
}

func TestOfTheMemoryOfAnotherMachineNothingIsKnown(t *testing.T) {
	mux, _ := listing(`{"models":[{"name":"main:latest","size":1000}]}`)
	mux.HandleFunc("GET /api/tags", answers(200, "application/json", `{"models":[{"name":"huge:latest","size":9000000000000000}]}`))
	c := clientOf(t, mux)
	c.base = &url.URL{Scheme: "http", Host: "models.example.com:11434"}
	if fits, known := c.Fits(t.Context(), "huge"); fits || known {
		t.Errorf("got %v, known %v", fits, known)
	}
}

func TestWhatProvesThatThereIsNoRoom(t *testing.T) {
	const gb = 1 << 30
	onProcessor := []Loaded{{Size: 8 * gb}, {Size: 2 * gb}}
	onGPU := []Loaded{{Size: 8 * gb, VRAM: 8 * gb}}
	for _, tt := range []struct {
		name   string
		loaded []Loaded
		size   int64
		total  int64
		shared bool
		want   bool
	}{
		{"more than is left", onProcessor, 7 * gb, 16 * gb, false, true},
		{"what is left", onProcessor, 6 * gb, 16 * gb, false, false},
		{"a machine nobody knows", onProcessor, 7 * gb, 0, false, false},
		{"more in memory than there is", onProcessor, 7 * gb, 9 * gb, false, false},
		{"on a GPU with memory of its own", onGPU, 12 * gb, 16 * gb, false, false},
		{"on a GPU that shares the memory", onGPU, 12 * gb, 16 * gb, true, true},
		{"on a GPU that shares the memory, with room", onGPU, 8 * gb, 16 * gb, true, false},
		{"one model on the GPU, one on the processor", append(onGPU, onProcessor...), 12 * gb, 16 * gb, false, false},
		{"nothing is in memory", nil, 99 * gb, 16 * gb, false, false},
		{"sums that overflow", []Loaded{{Size: 1 << 62}, {Size: 1 << 62}}, 1 << 62, 16 * gb, false, false},
		{"less than nothing", []Loaded{{Size: -gb}}, 16 * gb, 16 * gb, false, false},
	} {
		if got := machineIsFull(tt.loaded, tt.size, tt.total, tt.shared); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
	for _, tt := range []struct {
		name   string
		loaded []Loaded
		size   int64
		want   bool
	}{
		{"half of one is outside", []Loaded{{Size: 8 * gb, VRAM: 4 * gb}}, 2 * gb, true},
		{"smaller than a layer may be", []Loaded{{Size: 24 * gb, VRAM: 12 * gb}}, 3 * gb, false},
		{"smaller than what engines leave", []Loaded{{Size: 4 * gb, VRAM: 2 * gb}}, gb, false},
		{"all are inside", onGPU, 99 * gb, false},
		{"all are outside", onProcessor, 99 * gb, false},
	} {
		if got := gpuIsFull(tt.loaded, tt.size); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}
