//go:build e2e && engines && unix

package e2e

import (
	"encoding/json"
	"os"
	"testing"
)

// TestEvalOfRealModels asks each engine one question of each kind, with and without the defences, and prints the table.
func TestEvalOfRealModels(t *testing.T) {
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			w := &realWorld{world: newWorld(t), server: e.start(t), model: engineName}
			w.traffic = newTraffic(t, w.server.URL)
			w.configureReal("")
			run := func(args ...string) string {
				cmd := w.command(t.Context(), append([]string{"eval", "--quick", "--without-defences"}, args...)...)
				cmd.Stderr = os.Stderr // a line for each answer
				out, err := cmd.Output()
				must(t, err)
				return string(out)
			}
			t.Logf("%s:\n%s", e.name, run("--output", "markdown", engineName))
			var table struct {
				Models []struct {
					Asked  int
					Read   struct{ Tokens int }
					LoadMS int `json:"load_ms"`
				}
			}
			must(t, json.Unmarshal([]byte(run("--output", "json", engineName)), &table))
			if len(table.Models) != 2 || table.Models[0].Asked != 12 || table.Models[1].Asked != 12 ||
				table.Models[0].Read.Tokens == 0 || table.Models[0].LoadMS == 0 {
				t.Errorf("the kept answers are %+v", table)
			}
		})
	}
}
