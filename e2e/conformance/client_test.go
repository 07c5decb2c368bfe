//go:build e2e && unix

package conformance

import "testing"

// TestClient checks that each scenario for clients passes without a warning. It counts the checks because a program
// that does nothing passes some scenarios without any.
func TestClient(t *testing.T) {
	for revision, scenarios := range map[string]map[string]int{
		"2025-11-25": {
			"auth/basic-cimd":                     10,
			"auth/metadata-default":               15,
			"auth/metadata-var1":                  15,
			"auth/metadata-var2":                  15,
			"auth/metadata-var3":                  15,
			"auth/pre-registration":               10,
			"auth/scope-from-scopes-supported":    11,
			"auth/scope-from-www-authenticate":    11,
			"auth/scope-omitted-when-undefined":   11,
			"auth/scope-retry-limit":              10,
			"auth/scope-step-up":                  12,
			"auth/token-endpoint-auth-basic":      16,
			"auth/token-endpoint-auth-none":       16,
			"auth/token-endpoint-auth-post":       16,
			"elicitation-sep1034-client-defaults": 5,
			"initialize":                          1,
			"sse-retry":                           3,
			"tools_call":                          2,

			// Not required by the revision:
			"auth/client-credentials-basic":    5,
			"auth/client-credentials-jwt":      5,
			"json-schema-2020-12-preservation": 9,
		},
		"2026-07-28": {
			"auth/authorization-server-migration": 14,
			"auth/basic-cimd":                     10,
			"auth/iss-normalized":                 8,
			"auth/iss-not-advertised":             12,
			"auth/iss-supported":                  12,
			"auth/iss-supported-missing":          8,
			"auth/iss-unexpected":                 8,
			"auth/iss-wrong-issuer":               8,
			"auth/metadata-default":               16,
			"auth/metadata-issuer-mismatch":       3,
			"auth/metadata-var1":                  16,
			"auth/metadata-var2":                  16,
			"auth/metadata-var3":                  16,
			"auth/offline-access-not-supported":   12,
			"auth/offline-access-scope":           10,
			"auth/pre-registration":               10,
			"auth/resource-mismatch":              2,
			"auth/scope-from-scopes-supported":    12,
			"auth/scope-from-www-authenticate":    12,
			"auth/scope-omitted-when-undefined":   12,
			"auth/scope-retry-limit":              11,
			"auth/scope-step-up":                  14,
			"auth/token-endpoint-auth-basic":      17,
			"auth/token-endpoint-auth-none":       17,
			"auth/token-endpoint-auth-post":       17,
			"http-custom-headers":                 5,
			"http-invalid-tool-headers":           5,
			"http-standard-headers":               1,
			"json-schema-ref-no-deref":            1,
			"request-metadata":                    7,
			"sep-2322-client-request-state":       5,
			"tools_call":                          2,

			// Not required by the revision:
			"auth/client-credentials-basic":    5,
			"auth/client-credentials-jwt":      5,
			"json-schema-2020-12-preservation": 9,
		},
	} {
		t.Run(revision, func(t *testing.T) {
			verdicts, output, err := runSuite(t, "client", "--requirements", revision, "--timeout", "300000",
				"--command", parts.client)
			if err != nil {
				t.Errorf("the suite failed: %v", err)
			}
			for name, checks := range scenarios {
				v, played := verdicts[name]
				if !played || len(v.failed) > 0 || len(v.passed) != checks {
					t.Errorf("%s: %d checks passed, want %d; not passed: %q\n%s", name, len(v.passed), checks, v.failed, v.output())
				}
			}
			if t.Failed() {
				t.Log(output)
			}
		})
	}
}
