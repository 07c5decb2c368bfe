// Count prints the lines of Go in each package, without comments and blank lines: production code, then tests. Packages
// with names that end in "test", like net/http/httptest, count as tests. Run it from the top of the repository:
//
//	go run ./scripts/count
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lines has the numbers of a package.
type lines struct{ code, tests int }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	packages, err := count(".")
	if err != nil {
		return err
	}
	var sum lines
	var number int
	fmt.Printf("%7s %7s\n", "code", "tests")
	for _, dir := range slices.SortedFunc(maps.Keys(packages), func(a, b string) int {
		return cmp.Or(packages[b].code-packages[a].code, strings.Compare(a, b))
	}) {
		p := packages[dir]
		fmt.Printf("%7d %7d  %s\n", p.code, p.tests, dir)
		sum.tests += p.tests
		if p.code > 0 && !isTool(dir) {
			sum.code += p.code
			number++
		}
	}
	fmt.Printf("%7d %7d  in %d packages, without the code of e2e and scripts\n", sum.code, sum.tests, number)
	return nil
}

// isTool reports whether a package is for developers only.
func isTool(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return top == "e2e" || top == "scripts"
}

// count returns the lines of the Go files below root, by folder.
func count(root string) (map[string]lines, error) {
	packages := make(map[string]lines)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || path != root && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		n, err := countFile(path)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		p := packages[dir]
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(dir, "test") && !isTool(dir) {
			p.tests += n
		} else {
			p.code += n
		}
		packages[dir] = p
		return nil
	})
	return packages, err
}

// countFile returns the lines of a file that are not blank or comments.
func countFile(path string) (n int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	inComment := false
	scan := bufio.NewScanner(file)
	for scan.Scan() {
		line := strings.TrimSpace(scan.Text())
		inComment = inComment || strings.HasPrefix(line, "/*")
		if !inComment && line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
		if strings.Contains(line, "*/") {
			inComment = false
		}
	}
	return n, scan.Err()
}
