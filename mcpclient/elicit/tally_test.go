package elicit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheTimeOfAServerThatAsksStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asking Tally
		began := time.Now()
		time.AfterFunc(2*time.Second, func() {
			first, second := asking.Begin(), asking.Begin()
			time.AfterFunc(time.Hour, first)
			time.AfterFunc(2*time.Hour, second)
		})
		if !asking.Pass(t.Context(), 5*time.Second) || time.Since(began) != 2*time.Hour+5*time.Second {
			t.Errorf("the time was up after %v", time.Since(began))
		}
		end := asking.Begin()
		defer end()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if asking.Pass(ctx, time.Second) {
			t.Error("the time went on")
		}
	})
}
