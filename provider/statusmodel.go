package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider/window"
)

// idleFor is how long after its last use a status model is looked after anew. Servers put a model out of memory after some minutes; Ollama
// after five.
const idleFor = 4 * time.Minute

// statusModel is a model of its own for sentences. It must be in memory before a sentence is asked for, which is to be there in two seconds,
// and it must not put the chat's model out: that would cost far more than a sentence is worth.
type statusModel struct {
	mu      sync.Mutex
	pair    [2]string     // the chat's model and this one, of which the rest is known
	used    time.Time     // when it was known to be in memory
	loading chan struct{} // closed when it is loaded, or cannot be; nil: nobody tries
	refused bool          // no sentences are asked of it any more
	news    string        // what a person is to be told about that

	loads sync.WaitGroup // the goroutine that loads, if there is one
}

// ready waits while the model is loaded, and tells whether it can be asked.
func (s *statusModel) ready(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if loading := s.loading; loading != nil {
		s.mu.Unlock()
		select {
		case <-loading:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
	ready := !s.refused && time.Since(s.used) < idleFor
	if ready {
		s.used = time.Now()
	}
	return ready
}

// told returns what a person is to be told, once.
func (s *statusModel) told() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = ""
	return news
}

// prepareStatusModel sees to it that the status model is in memory, while the turn goes on. It ends with ctx, and the turn waits for that with
// restStatusModel.
func (c *Chat) prepareStatusModel(ctx context.Context) {
	s := &c.statusModel
	s.mu.Lock()
	defer s.mu.Unlock()
	if pair := [2]string{c.Name, c.StatusModel}; s.loading == nil && s.pair != pair { // what does not fit beside one may fit beside another
		s.pair, s.used, s.refused = pair, time.Time{}, false
	}
	if !c.hasStatusModel() || s.loading != nil || s.refused || time.Since(s.used) < idleFor {
		return
	}
	done := make(chan struct{})
	s.loading = done
	main, own := c.Name, c.StatusModel
	s.loads.Go(func() {
		refusal := c.admitStatusModel(ctx, main, own)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.loading = nil
		close(done)
		switch {
		case ctx.Err() != nil: // another turn may try again
		case refusal != "":
			s.refused, s.news = true, refusal
		default:
			s.used = time.Now()
		}
	})
}

// restStatusModel waits until nothing is loaded for the turn any more. Its context must have ended.
func (c *Chat) restStatusModel() { c.statusModel.loads.Wait() }

// admitStatusModel brings the status model into memory beside the chat's. It returns why sentences are not asked of it, or "".
func (c *Chat) admitStatusModel(ctx context.Context, main, own string) string {
	server, ok := c.Model.(Memory)
	if !ok {
		return "" // nobody can tell
	}
	if there, err := server.InMemory(ctx, own); err == nil && there {
		return ""
	}
	if fits, known := server.Fits(ctx, own); known && !fits {
		return fmt.Sprintf("There is no room for the status model %q in memory beside %q: tools are told by their names. Choose a smaller status.model.", own, main)
	}
	mainWasThere, _ := server.InMemory(ctx, main)
	if err := server.Load(ctx, own, window.SmallestWindow); err != nil {
		return c.cannotLoad(own, err)
	}
	if there, err := server.InMemory(ctx, main); err == nil && !there && mainWasThere {
		return fmt.Sprintf("Loading the status model %q put %q out of memory: from now on tools are told by their names. "+
			"Choose a smaller status.model, or let the server keep more models (OLLAMA_MAX_LOADED_MODELS).", own, main)
	}
	return ""
}

func (c *Chat) cannotLoad(own string, err error) string {
	text := fmt.Sprintf("The status model %q cannot be used, tools are told by their names: %s", own, err)
	if e := (*Error)(nil); errors.As(err, &e) && e.Hint != "" {
		text += "; " + e.Hint
	}
	return text + "."
}

// tellStatusModel says what became of the status model.
func (t *turn) tellStatusModel() {
	if news := t.chat.statusModel.told(); news != "" {
		t.notice("%s", news)
	}
}
