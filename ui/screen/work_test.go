package screen

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestProgramWaitsForWork(t *testing.T) {
	ended := false
	m := &page{}
	err := show(t, m, func(p *Program, _ *output, _ io.Writer) {
		p.Send(Go(func(ctx context.Context, send func(tea.Msg)) {
			send(textMsg("begun"))
			<-ctx.Done()
			time.Sleep(time.Second) // under fake time
			send(textMsg("late"))
			ended = true
		})())
		synctest.Wait()
	})
	if !ended || m.text != "begun" || !errors.Is(err, tea.ErrProgramKilled) {
		t.Errorf("the work has ended: %v, with %q and the error %v", ended, m.text, err)
	}
}

func TestStoppedWorkIsCancelled(t *testing.T) {
	for _, early := range []bool{false, true} {
		m := &page{}
		_ = show(t, m, func(p *Program, _ *output, _ io.Writer) {
			begin, stop := Start(func(ctx context.Context, send func(tea.Msg)) {
				<-ctx.Done()
				send(textMsg("stopped"))
			})
			if early {
				stop()
			}
			p.Send(begin())
			stop()
			synctest.Wait()
		})
		if m.text != "stopped" {
			t.Errorf("stopped before its begin: %v: the work was not cancelled", early)
		}
	}
}
