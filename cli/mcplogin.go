package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

func mcpLoginCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "login SERVER", Short: "Log in to an MCP server in the browser", Args: argCount(1, 1),
		Long: "Log in to an MCP server in the browser. You can also open the printed address on another machine. " +
			"After the login, that browser shows an address that it cannot open: paste that address here. The login is " +
			"saved in a file that only you can read.",
		RunE: func(cmd *cobra.Command, args []string) error { return logIn(cmd, *f, args[0]) },
	}
}

func mcpLogoutCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "logout SERVER", Short: "Log out of an MCP server", Args: argCount(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return logOut(cmd, *f, args[0]) },
	}
}

func logIn(cmd *cobra.Command, f flags, name string) error {
	return withConfig(cmd, f, func(cfg *config.Config) error {
		server, session, err := loginTo(cfg, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "Asking %s for its login page…\n\n", name)
		shown := &commandLine{name: name, out: cmd.ErrOrStderr(), in: newPrompter(cmd.ErrOrStderr())}
		if err := session.LogIn(cmd.Context(), shown); err != nil {
			if cmd.Context().Err() != nil {
				return exit(130)
			}
			return failure(err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Logged in to %s.\n", name)
		if !server.Enabled {
			fmt.Fprintf(cmd.OutOrStdout(), "%s is turned off. To use it, set enabled = true in [mcp_servers.%s].\n", name, name)
			return nil
		}
		return tryServer(cmd, f, name)
	})
}

func logOut(cmd *cobra.Command, f flags, name string) error {
	return withConfig(cmd, f, func(cfg *config.Config) error {
		_, session, err := loginTo(cfg, name)
		if err != nil {
			return err
		}
		switch err := session.LogOut(cmd.Context()); {
		case errors.Is(err, oauth.ErrLoggedOut):
			fmt.Fprintf(cmd.OutOrStdout(), "You were not logged in to %s.\n", name)
		case err != nil:
			return failure(err)
		default:
			fmt.Fprintf(cmd.OutOrStdout(), "Logged out of %s.\n", name)
		}
		return nil
	})
}

// loginTo finds the login of a server in the configuration.
func loginTo(cfg *config.Config, name string) (config.Server, *oauth.Session, error) {
	i := slices.IndexFunc(cfg.Servers, func(s config.Server) bool { return s.Name == name })
	if i < 0 {
		return config.Server{}, nil, unknownServer(name)
	}
	switch s := cfg.Servers[i]; {
	case !s.WantsLogin():
		return s, nil, usage(fmt.Sprintf("the server %q needs no login", name),
			"it is local, uses credentials from the config, or has oauth = false; see: aloud config show")
	case s.Broken != nil:
		return s, nil, failure(s.Broken)
	default:
		session, err := newLogin(s)
		return s, session, failure(err)
	}
}

// newLogin makes the login to a server with a url.
func newLogin(s config.Server) (*oauth.Session, error) {
	state, _ := config.StateDir(os.LookupEnv) // without it the login is not saved
	options := oauth.Options{
		Server: s.Name, URL: s.URL, Grant: s.OAuth.Grant,
		Issuer: s.OAuth.Issuer, ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret,
		SigningAlgorithm: s.OAuth.SigningAlgorithm, ClientMetadataURL: s.OAuth.ClientMetadataURL,
		Scopes: s.OAuth.Scopes, CallbackPort: s.OAuth.CallbackPort, Dir: state,
	}
	if path := s.OAuth.PrivateKeyFile; path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read private_key_file %q: %w", path, atomicfile.Cause(err))
		}
		if options.PrivateKey, err = oauth.ReadKey(text); err != nil {
			return nil, fmt.Errorf("private_key_file %q %w", path, err)
		}
	}
	if s.CAFile != "" {
		base, err := conn.NewTransport(s.CAFile)
		if err != nil {
			return nil, err
		}
		options.Base = base
	}
	return oauth.New(options), nil
}

// commandLine shows a login on the command line and reads pasted addresses.
type commandLine struct {
	name   string
	out    io.Writer
	in     *prompter
	unseen string // the page that an empty line opens; "" for none
}

// Visit implements mcpclient.Browser. It shows a login server that gets the client's credentials for the first time
// before it opens the browser, because the page could redirect at once.
func (p *commandLine) Visit(address, secretTo string) error {
	visit, err := elicit.ReadVisit(address)
	if err != nil {
		return fmt.Errorf("cannot open the login page: %w", err)
	}
	if secretTo != "" {
		issuer, err := elicit.ReadVisit(secretTo)
		if err != nil {
			return fmt.Errorf("cannot show the login server: %w", err)
		}
		fmt.Fprintf(p.out, "Your OAuth client's credentials will only be sent to the login server %s.\n\n", issuer.Address)
	}
	fmt.Fprintf(p.out, "The login page for %s is on %s. If your browser does not open it, go to:\n\n%s\n\n",
		p.name, visit.Host, visit.Address)
	if u, err := url.Parse(visit.Address); err == nil {
		fmt.Fprintf(p.out, "After the login, a browser on another machine shows an address that it cannot open:\n%s…\n"+
			"Paste the whole address here. Press Ctrl+C to stop.\n", sanitize.Line(u.Query().Get("redirect_uri")))
	}
	if secretTo != "" {
		fmt.Fprintln(p.out, "\nPress Enter to open the page in your browser.")
		p.unseen = visit.Address
		return nil
	}
	_ = openPage(visit.Address) // without a browser the address is enough
	return nil
}

// Pasted implements mcpclient.Browser.
func (p *commandLine) Pasted(ctx context.Context) (string, error) {
	for {
		switch line, more := p.in.ask(ctx, ""); {
		case !more:
			return "", cmp.Or(ctx.Err(), io.EOF)
		case strings.TrimSpace(line) != "":
			return line, nil
		case p.unseen != "":
			_ = openPage(p.unseen)
			p.unseen = ""
		}
	}
}

// Tell implements mcpclient.Browser.
func (p *commandLine) Tell(wrong error) {
	fmt.Fprintf(p.out, "aloud: %s\n", sanitize.Text(wrong.Error()))
}

var _ mcpclient.Browser = (*commandLine)(nil)
