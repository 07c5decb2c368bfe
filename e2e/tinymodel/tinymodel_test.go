package tinymodel

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Write(b, Scenarios()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two files of the same scripts differ")
	}
	if n := first.Len(); n > 4<<20 {
		t.Errorf("the model has %d bytes, want at most 4 MiB", n)
	}
	head := first.Bytes()[:8]
	if string(head[:4]) != "GGUF" || binary.LittleEndian.Uint32(head[4:]) != 3 {
		t.Errorf("the file begins with %q, want GGUF version 3", head)
	}
}

// TestScenarios follows the tokens like the engine.
func TestScenarios(t *testing.T) {
	v := newVocabulary()
	scripts := Scenarios()
	for name, script := range scripts {
		for i, step := range script {
			if err := v.addStep(name, i, step); err != nil {
				t.Fatalf("step %d of %q: %v", i, name, err)
			}
		}
	}
	v.closeEnds(v.start(Fallback, 0, false))
	for name, script := range scripts {
		for i, step := range script {
			want := step.Text
			switch {
			case step.Forever:
				want += step.Text
			case step.Stuck:
				last := strings.Fields(step.Text)
				want += " " + last[len(last)-1]
			}
			if got := v.follow(v.start(name, i, false), len(stored(want))); !strings.HasPrefix(got, stored(want)) {
				t.Errorf("step %d of %q has %q, want %q", i, name, got, want)
			}
			if step.Think == "" {
				continue
			}
			want = stored("<think>\n" + step.Think + "\n</think>\n\n" + step.Text)
			if step.ThinkForever {
				want = stored("<think>\n" + step.Think + " ")
			}
			got := v.follow(v.start(name, i, true), len(want))
			if got != want && !(step.ThinkForever && strings.HasPrefix(got, want)) {
				t.Errorf("step %d of %q thinks %q, want %q", i, name, got, want)
			}
		}
	}
	if got := v.follow(v.ids["<|user|>"], 1000); got != stored(scripts[Fallback][0].Text) {
		t.Errorf("after a token without a successor comes %q, want the fallback", got)
	}
}

// follow returns the text after a token until the reply ends or has at least n bytes.
func (v *vocabulary) follow(token, n int) string {
	var b strings.Builder
	for token = v.next[token]; token != v.end && b.Len() < n; token = v.next[token] {
		b.WriteString(v.texts[token])
	}
	return b.String()
}

func TestWriteErrors(t *testing.T) {
	for _, test := range []struct {
		scripts map[string]Script
		want    string
	}{
		{nil, `no script "default"`},
		{map[string]Script{Fallback: {{Text: "same"}}, "other": {{Text: "same"}}}, "add a new word"},
	} {
		err := Write(&bytes.Buffer{}, test.scripts)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Write(%v) = %v, want an error with %q", test.scripts, err, test.want)
		}
	}
}
