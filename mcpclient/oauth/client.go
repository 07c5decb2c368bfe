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
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The methods of client authentication.
const (
	byNothing = "none"
	byBasic   = "client_secret_basic"
	byPost    = "client_secret_post"
	byKey     = "private_key_jwt"
)

// clientFor returns the client for a login server: the configured one, the one of the metadata document, or a new one,
// which may request the scopes.
func (s *Session) clientFor(ctx context.Context, at endpoint, redirect string, scopes []string) (client, error) {
	if configured, ok := s.configured(at.meta); ok {
		return configured, nil
	}
	if s.options.ClientMetadataURL != "" && at.meta.ClientIDMetadataDocumentSupported {
		return client{ID: s.options.ClientMetadataURL, Method: byNothing}, nil
	}
	if at.meta.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf("login server %q requires a registered client. Register aloud and set oauth.client_id",
			clean(at.meta.Issuer))
	}
	return s.register(ctx, at, redirect, scopes)
}

// configured returns the configured client, if any. Its secret is not stored.
func (s *Session) configured(meta *oauthex.AuthServerMeta) (client, bool) {
	who := client{ID: s.options.ClientID, Method: byNothing}
	switch {
	case s.options.PrivateKey != nil:
		who.Method = byKey
	case s.options.ClientSecret != "":
		who.Method = bySecret(meta.TokenEndpointAuthMethodsSupported)
	}
	return who, who.ID != ""
}

// bySecret returns how to send a secret. The default is the header.
func bySecret(offered []string) string {
	if slices.Contains(offered, byPost) && !slices.Contains(offered, byBasic) {
		return byPost
	}
	return byBasic
}

// register registers a new client, without a secret if possible. Some servers refuse scopes that were not registered.
func (s *Session) register(ctx context.Context, at endpoint, redirect string, scopes []string) (client, error) {
	offered := at.meta.TokenEndpointAuthMethodsSupported
	method := byNothing
	if len(offered) > 0 && !slices.Contains(offered, byNothing) {
		method = bySecret(offered)
	}
	got, err := oauthex.RegisterClient(ctx, at.meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName:              "aloud",
		RedirectURIs:            []string{redirect},
		GrantTypes:              []string{"authorization_code", "refresh_token"},
		ResponseTypes:           []string{"code"},
		ApplicationType:         "native",
		TokenEndpointAuthMethod: method,
		Scope:                   strings.Join(scopes, " "),
	}, s.client)
	switch {
	case ctx.Err() != nil:
		return client{}, ctx.Err()
	case err != nil:
		return client{}, fmt.Errorf("login server %q rejects aloud: %s. Register it there and set oauth.client_id",
			clean(at.meta.Issuer), clean(err.Error()))
	}
	who := client{ID: got.ClientID, Secret: got.ClientSecret, Method: got.TokenEndpointAuthMethod, Registered: true}
	switch {
	case who.Secret == "":
		who.Method = byNothing
	case who.Method != byBasic && who.Method != byPost:
		who.Method = bySecret(offered)
	}
	return who, nil
}

// authenticate adds the credentials of the client to a token request.
func (s *Session) authenticate(r record, request *clientcredentials.Config) error {
	secret := r.Client.Secret
	if s.configures(r.Client) {
		secret = s.options.ClientSecret
	}
	request.AuthStyle = oauth2.AuthStyleInParams
	switch r.Client.Method {
	case byBasic:
		request.AuthStyle, request.ClientSecret = oauth2.AuthStyleInHeader, secret
		request.EndpointParams.Set("client_id", r.Client.ID) // the Python SDK needs it besides
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

// assertion returns a signed JWT that names the client.
func (s *Session) assertion(id, issuer string) (string, error) {
	if s.options.PrivateKey == nil {
		return "", errors.New("the private key of this login is not configured any more")
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

// signing returns the wanted algorithm, or the usual one for the key.
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

// ReadKey parses a private key in PEM: PKCS #8, or the older formats for RSA and elliptic curves. The error continues a
// sentence about the file.
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
	return nil, errors.New("has no RSA, elliptic curve or Ed25519 private key in PEM without a password")
}
