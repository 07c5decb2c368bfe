package headless_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestFinishingShowsTimeLeft(t *testing.T) {
	slow := make(providertest.Reply, 60)
	for i := range slow {
		slow[i] = providertest.Step{Wait: time.Second, Text: "word "}
	}
	for format, want := range map[headless.Format][]string{
		headless.FormatStreamJSON: {`"phase":"formulating","text":"Finishing…"`, `"left_ms":30000,`},
		headless.FormatText:       {"\nFinishing…\n", "[Unable to complete task: 5s of work used (limits.total_time = 5s)]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := headless.Options{Format: format, Parts: parts(loop.Chat{Limits: loop.Limits{TotalTime: 5 * time.Second}})}
			out, errs, code := run(t, o, slow)
			for _, part := range want {
				if strings.Count(out+errs, part) != 1 {
					t.Errorf("exit code %d, and it does not say %s once:\n%s%s", code, part, out, errs)
				}
			}
		})
	}
}
