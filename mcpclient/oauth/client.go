package oauth

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The methods of client authentication, as the protocol calls them.
const (
	byNothing = "none"
	byBasic   = "client_secret_basic"
	byPost    = "client_secret_post"
	byKey     = "private_key_jwt"
)

// clientFor decides which client aloud is to an authorization server: the one of the configuration, the one a document describes, or one that
// it registers now.
func (s *Session) clientFor(ctx context.Context, at place, redirect string) (client, error) {
	if configured, ok := s.configured(at.meta); ok {
		return configured, nil
	}
	if s.options.ClientMetadataURL != "" && at.meta.ClientIDMetadataDocumentSupported {
		return client{ID: s.options.ClientMetadataURL, Method: byNothing}, nil
	}
	if at.meta.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf("the login server %q takes only clients that it knows: register aloud there, and write its client_id into oauth", clean(at.meta.Issuer))
	}
	return s.register(ctx, at, redirect)
}

// configured is the client of the configuration.
func (s *Session) configured(meta *oauthex.AuthServerMeta) (client, bool) {
	who := client{ID: s.options.ClientID, Method: byNothing} // its secret is read from the configuration each time, and not kept
	switch {
	case s.options.PrivateKey != nil:
		who.Method = byKey
	case s.options.ClientSecret != "":
		who.Method = bySecret(meta.TokenEndpointAuthMethodsSupported)
	}
	return who, who.ID != ""
}

// bySecret chooses how to send a secret. A server that does not say takes it in the header.
func bySecret(offered []string) string {
	if slices.Contains(offered, byPost) && !slices.Contains(offered, byBasic) {
		return byPost
	}
	return byBasic
}

// register makes a new client, a public one if possible: a program on your machine keeps no secrets of its own.
func (s *Session) register(ctx context.Context, at place, redirect string) (client, error) {
	offered := at.meta.TokenEndpointAuthMethodsSupported
	method := byNothing
	if len(offered) > 0 && !slices.Contains(offered, byNothing) {
		method = bySecret(offered)
	}
	answer, err := oauthex.RegisterClient(ctx, at.meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName:              "aloud",
		RedirectURIs:            []string{redirect},
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
		ApplicationType:         "native",
		TokenEndpointAuthMethod: method,
	}, s.client)
	switch {
	case ctx.Err() != nil:
		return client{}, ctx.Err()
	case err != nil:
		return client{}, fmt.Errorf("the login server %q does not take us as a client: %s; register aloud there by hand, and write its client_id into oauth",
			clean(at.meta.Issuer), clean(err.Error()))
	}
	who := client{ID: answer.ClientID, Secret: answer.ClientSecret, Method: answer.TokenEndpointAuthMethod, Registered: true}
	switch {
	case who.Secret == "":
		who.Method = byNothing
	case who.Method != byBasic && who.Method != byPost:
		who.Method = bySecret(offered)
	}
	return who, nil
}

// authenticate adds the client's credentials to a request for a token.
func (s *Session) authenticate(r record, request *clientcredentials.Config) error {
	secret := r.Client.Secret
	if s.configures(r.Client) {
		secret = s.options.ClientSecret
	}
	request.AuthStyle = oauth2.AuthStyleInParams
	switch r.Client.Method {
	case byBasic:
		request.AuthStyle, request.ClientSecret = oauth2.AuthStyleInHeader, secret
	case byPost:
		request.ClientSecret = secret
	case byKey:
		assertion, err := s.assertion(r.Client.ID, r.Issuer)
		if err != nil {
			return err
		}
		request.EndpointParams.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		request.EndpointParams.Set("client_assertion", assertion)
	}
	return nil
}

// assertion returns a signed JWT that names the client, for one request.
func (s *Session) assertion(id, issuer string) (string, error) {
	if s.options.PrivateKey == nil {
		return "", errors.New("the private key that it was made with is not configured any more")
	}
	method := signing(s.options.PrivateKey, s.options.SigningAlgorithm)
	if method == nil {
		return "", fmt.Errorf("the private key cannot sign with %q", s.options.SigningAlgorithm)
	}
	now := time.Now()
	return jwt.NewWithClaims(method, jwt.RegisteredClaims{
		Issuer: id, Subject: id, Audience: jwt.ClaimStrings{issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	}).SignedString(s.options.PrivateKey)
}

// signing returns the algorithm to sign with: the wanted one, or the usual one of the kind of key.
func signing(key crypto.Signer, wanted string) jwt.SigningMethod {
	usual := "EdDSA"
	switch key := key.(type) {
	case *rsa.PrivateKey:
		usual = "RS256"
	case *ecdsa.PrivateKey:
		usual = map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[key.Params().BitSize]
	}
	return jwt.GetSigningMethod(cmp.Or(wanted, usual))
}

// ReadKey reads a private key in PEM: PKCS #8, or the older forms of RSA and elliptic curves. The error finishes a sentence about the file.
func ReadKey(text []byte) (crypto.Signer, error) {
	if key, err := jwt.ParseRSAPrivateKeyFromPEM(text); err == nil {
		return key, nil
	}
	if key, err := jwt.ParseECPrivateKeyFromPEM(text); err == nil {
		return key, nil
	}
	key, err := jwt.ParseEdPrivateKeyFromPEM(text)
	if signer, ok := key.(crypto.Signer); ok && err == nil {
		return signer, nil
	}
	return nil, errors.New("holds no private key of RSA, an elliptic curve or Ed25519, in PEM and without a password")
}
