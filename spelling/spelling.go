// Package spelling finds the word that was meant.
package spelling

// compared is how many bytes of a word are compared: names from models and files have any length.
const compared = 64

// Distance counts the letters to insert, remove, replace or swap with their neighbour to turn a into b. Of words longer
// than 64 bytes it compares the beginnings and adds the difference in length.
func Distance(a, b string) int {
	x, y := []rune(a[:min(len(a), compared)]), []rune(b[:min(len(b), compared)])
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			replaced := last[j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)] + max(len(a), len(b), compared) - max(min(len(a), len(b)), compared)
}
