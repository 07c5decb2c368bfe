package link

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAServerWhoseStreamsEndSoonIsNotAskedForItsListsEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(nil, nil)
		fetches := func() int {
			select {
			case <-w.listChanged:
				return 1
			default:
				return 0
			}
		}
		n := 0
		for range 600 { // five minutes
			w.missed()
			n += fetches()
			time.Sleep(time.Second / 2)
		}
		if n != 5 {
			t.Errorf("the list is fetched %d times, want once a minute", n)
		}
	})
}
