package math

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func TestFormulasOnOneLine(t *testing.T) {
	for source, want := range map[string]string{
		`x^2 + y_i \le \alpha`:                        `x² + yᵢ ≤ α`,
		`\frac{-b \pm \sqrt{b^2 - 4ac}}{2a}`:          `(−b ± √(b² − 4ac))/(2a)`,
		`\frac{a}{b}, \frac{a+b}{c}`:                  `a/b, (a + b)/c`,
		`\forall x \in \mathbb{R}, -x = -1`:           `∀x ∈ ℝ, −x = −1`,
		`x^{n+1}_{q}`:                                 `x_q^(n+1)`,
		`x^{n+1} f'(x)`:                               `xⁿ⁺¹f′(x)`,
		`-\sum_i -\sin x - \cos x - \frac{1}{2}`:      `−∑ᵢ −sin x − cos x − 1/2`,
		`a~b \\[4pt] [c]`:                             `a b; [c]`,
		`O(n \log n)`:                                 `O(n log n)`,
		`\max(a, \det A) + \Pr\left(x\right)`:         `max(a, det A) + Pr(x)`,
		`\max_i (a_i) - \sum(b)`:                      `maxᵢ (aᵢ) − ∑ (b)`,
		`\int_0^1 f(x)\,dx`:                           `∫₀¹ f(x) dx`,
		`\hat{\beta} = (X^T X)^{-1} X^T y`:            `β̂ = (XᵀX)⁻¹Xᵀy`,
		`\begin{pmatrix} a & b \\ c & d\end{pmatrix}`: `(a, b; c, d)`,
		`\sqrt[3]{8} \not= \{1, 2, \ldots\}`:          `³√8 ≠ {1, 2, …}`,
		`\text{if } x \ge 3.5 \times 10^{-5}`:         `if x ≥ 3.5 × 10⁻⁵`,
	} {
		if got, ok := Inline(source); got != want || !ok {
			t.Errorf("%s: got %q, %v, want %q", source, got, ok, want)
		}
	}
}

func TestUnknownFormulasAreRefused(t *testing.T) {
	deep := strings.Repeat("{", maxDepth+1) + "x" + strings.Repeat("}", maxDepth+1)
	for _, source := range []string{
		"", " ", `\foo`, `x + \foo{y}`, `{x`, `x}`, `x^`, `x^^2 \`,
		`\frac{a}`, `\left( x`, `\right)`, `a \text{\b}`, `\begin{foo}x\end{foo}`,
		`\begin{cases}x\end{matrix}`, `\hat{ab}`, `\mathbb{q}`, `\sqrt[q]{x}`, "a\x1b[31mb", "a\u202eb", "some words",
		"x and y",
		`\left\foo x\right)`, "\xff", deep,
		strings.Repeat("x", maxSource+1), strings.Repeat("&", maxCells+1),
	} {
		if got, ok := Inline(source); ok {
			t.Errorf("%q is set as %q", source, got)
		}
		if got, ok := Display(source, 80, ansi.WcWidth); ok {
			t.Errorf("%q is set as %q", source, got)
		}
	}
}

func TestFormulasInTwoDimensions(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{strings.Repeat("x_{", maxDepth-1) + "x" + strings.Repeat("}", maxDepth-1), "\n" + staircase(maxDepth-1) + "ₓ"},
		{`x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}`, `
            _________
     −b ± ╲╱ b² − 4ac
x = ──────────────────
            2a`},
		{`\sum_{i=1}^{n} i^2 = \frac{n(n+1)}{6}`, `
 n       n(n + 1)
 ∑  i² = ────────
i=1         6`},
		{`\lim_{x \to 0} e^{-x^2}`, `
     −x²
lim e
x→0`},
		{`\left( \frac{a}{b} \right)^{n}_q`, `
⎛a⎞n
⎜─⎟
⎝b⎠q`},
		{`\frac{\boxed{x}}{\sqrt{d_k}}`, `
[x]
───
√dₖ`},
		{`x = -\frac{1}{2} - \frac{a}{b}`, `
      1   a
x = − ─ − ─
      2   b`},
		{`\begin{bmatrix} 1 & 20 \\ 300 & 4 \end{bmatrix}`, `
⎡ 1   20⎤
⎣300  4 ⎦`},
		{`|x| = \begin{cases} x & \text{if } x \ge 0 \\ -x & \text{else} \end{cases}`, `
      ⎰x   if x ≥ 0
|x| = ⎱−x  else`},
		{`\begin{aligned} a &= b + c \\ &= \frac{1}{2} \end{aligned}`, `
a = b + c

    1
  = ─
    2`},
		{`\sqrt[3]{\frac{x}{y}}`, `
     __
    ╱ x
   ╱  ─
³╲╱   y`},
	} {
		rows, ok := Display(c.source, 80, ansi.WcWidth)
		if got := "\n" + strings.Join(rows, "\n"); got != c.want || !ok {
			t.Errorf("%s: got:%s\nwant:%s", c.source, got, c.want)
		}
	}
}

// staircase returns n rows with an x, each further to the right.
func staircase(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = strings.Repeat(" ", i) + "x"
	}
	return strings.Join(rows, "\n")
}

func TestTooLargeFormulaIsOnOneLineOrRefused(t *testing.T) {
	high := strings.Repeat(`\frac{a}{b} \\`, 20)
	if rows, ok := Display(high, 200, ansi.WcWidth); len(rows) != 1 || !ok {
		t.Errorf("the high formula is set as %q, %v", rows, ok)
	}
	for source, width := range map[string]int{high: 20, `\frac{abc}{d}`: 2, `\begin{matrix}aaa&b\\c\end{matrix}`: 5} {
		if rows, ok := Display(source, width, ansi.WcWidth); ok {
			t.Errorf("%s is set in %d cells as %q", source, width, rows)
		}
	}
}

func FuzzFormula(f *testing.F) {
	for _, source := range []string{
		`\frac{a}{b}`, `\sqrt[3]{x_i^2}`, `\begin{cases}a&b\\c\end{cases}`, `\left\{\sum_{i}^{n}\right.`,
	} {
		f.Add(source, 20)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = 1 + (width%100+100)%100
		for _, m := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
			rows, ok := Display(source, width, m)
			line, _ := Inline(source)
			if strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%q has the control character in %q", source, line)
			}
			for _, row := range rows {
				if ok && m.StringWidth(row) > width || strings.ContainsFunc(row, unicode.IsControl) {
					t.Errorf("%q at width %d has the row %q", source, width, row)
				}
			}
		}
	})
}
