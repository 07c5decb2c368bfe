// Run is the program of package badserver.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/aloudchat/aloud/e2e/badserver"
)

func main() {
	address := flag.String("http", "", "serve over HTTP at this `address` instead of standard input and output")
	flag.Parse()
	switch {
	case flag.NArg() == 0:
		for _, m := range badserver.Modes() {
			fmt.Printf("%-5s %-18s %s\n", m.Over, m.Name, m.Does)
		}
	case *address != "":
		mode, err := badserver.Find(flag.Arg(0))
		if err == nil {
			err = http.ListenAndServe(*address, badserver.Handler(mode))
		}
		fmt.Fprintln(os.Stderr, "badserver:", err)
		os.Exit(1)
	default:
		os.Exit(badserver.Main(os.Args[:1], flag.Args()))
	}
}
