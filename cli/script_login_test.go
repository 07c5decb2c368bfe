package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aloudchat/aloud/e2e/oauthtest"
)

// goTo is a browser: it opens an address, follows redirects, and saves the last page to a file.
func goTo() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	_ = os.WriteFile("page.html", text, 0o600)
}

type vaultKey struct{}

// vaultServers are an MCP server that needs a login, and its authorization server.
type vaultServers struct {
	issuer   *oauthtest.Issuer
	resource *oauthtest.Resource
	client   oauthtest.Client // known to the issuer
}

// vault starts an MCP server that needs a login, or changes its behavior: vault
// [denies|allows|ends-tokens|ends-logins|down|has-no-faults|knows ID SECRET|moves|got-no-secret]. After moves, it uses
// another authorization server, which accepts the same client.
func vault(ts *testscript.TestScript, _ bool, args []string) {
	servers, _ := ts.Value(vaultKey{}).(*vaultServers)
	if len(args) == 0 {
		*servers = vaultServers{issuer: oauthtest.NewIssuer(oauthtest.Plain())}
		servers.resource = oauthtest.NewResource(servers.issuer)
		ts.Setenv("VAULT", servers.resource.URL)
		ts.Defer(func() {
			servers.resource.Close()
			servers.issuer.Close()
		})
		return
	}
	switch args[0] {
	case "denies", "allows":
		servers.issuer.Change(func(r *oauthtest.Rules) { r.Denies = args[0] == "denies" })
	case "down":
		servers.issuer.Change(func(r *oauthtest.Rules) { r.Down = http.StatusServiceUnavailable })
	case "ends-tokens":
		servers.issuer.EndTokens()
	case "knows":
		servers.issuer.Change(func(r *oauthtest.Rules) { r.AnyPort = true })
		servers.client = oauthtest.Client{Secret: args[2], Method: "client_secret_basic",
			Redirects: []string{"http://127.0.0.1/callback"}}
		servers.issuer.Know(args[1], servers.client)
		ts.Setenv("ISSUER", servers.issuer.URL)
	case "moves":
		other := oauthtest.NewIssuer(servers.issuer.Rules())
		ts.Defer(other.Close)
		other.Know("ours", servers.client)
		servers.resource.MoveTo(other)
		ts.Setenv("OTHER", other.URL)
		servers.issuer = other
	case "got-no-secret":
		if n := servers.issuer.Count("/token"); n != 0 {
			ts.Fatalf("the authorization server was asked for tokens %d times", n)
		}
	case "ends-logins":
		servers.issuer.EndLogins()
	case "has-no-faults":
		if faults := servers.issuer.Faults(); len(faults) > 0 {
			ts.Fatalf("the authorization server found faults: %q", faults)
		}
	default:
		ts.Fatalf("vault cannot %q", args[0])
	}
}

// pasteLogin logs in with a browser on another machine: it pastes the arguments, and then the last address of the
// browser.
func pasteLogin(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath("aloud")
	ts.Check(err)
	cmd := exec.Command(path, "mcp", "login", "vault")
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "VAULT",
		"SYSTEMROOT"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stdout = ts.Stdout()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		fmt.Fprintln(ts.Stderr(), lines.Text())
		if !strings.Contains(lines.Text(), "/authorize?") {
			continue
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Get(lines.Text())
		ts.Check(err)
		response.Body.Close()
		_, err = io.WriteString(in, strings.Join(append(args, response.Header.Get("Location")), "\n")+"\n")
		ts.Check(err)
	}
	ts.Check(cmd.Wait())
}
