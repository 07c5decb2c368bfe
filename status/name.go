package status

import (
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/sanitize"
)

// titleWidth is how many cells a tool's name may take.
const titleWidth = 40

// Title turns a tool's name into Title Case: "get_http_url" → "Get HTTP URL", "readFile" → "Read File".
// Title, if the server gave one, wins. The result is one safe line of at most 40 cells; a longer one is cut in its middle, because
// names that begin alike differ at the end.
//
// Name is the server's own name of the tool. Names in another script than the Latin one are left as they are.
func Title(title, name string) string {
	title, name = sanitize.Line(title), sanitize.Line(name)
	if title == "" || title == name { // some servers repeat the name as the title
		title = titleCase(name)
	}
	if title == "" {
		title = "Unnamed Tool"
	}
	return cutMiddle(title, titleWidth)
}

// TitleOn is a title that two servers share: "Search · github".
func TitleOn(title, server string) string {
	if server = cutMiddle(sanitize.Line(server), titleWidth/2); server == "" {
		return title
	}
	return title + separator + server
}

func titleCase(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
		return name
	}
	shouting := strings.ToUpper(name) == name
	var words []string
	for _, chunk := range strings.FieldsFunc(name, separates) {
		for _, word := range known(pieces(chunk)) {
			words = append(words, capitalize(word, shouting))
		}
	}
	return strings.Join(words, " ")
}

func separates(r rune) bool { return r == ' ' || strings.ContainsRune("_-.:/", r) }

// pieces splits where the case or the kind of character changes: "getHTTPUrl2" → get HTTP Url 2. Letters after a digit stay with it: 2nd.
func pieces(chunk string) []string {
	r := []rune(chunk)
	var list []string
	start := 0
	for i := 1; i < len(r); i++ {
		before, here := r[i-1], r[i]
		lower := i+1 < len(r) && unicode.IsLower(r[i+1])
		split := unicode.IsUpper(here) && (unicode.IsLower(before) || lower || unicode.IsDigit(before)) ||
			unicode.IsDigit(here) && !unicode.IsDigit(before)
		if split {
			list = append(list, string(r[start:i]))
			start = i
		}
	}
	return append(list, string(r[start:]))
}

// known joins pieces that are one known word: Git Hub → GitHub, UR Ls → URLs, sha 256 → SHA256. A single letter and a number are one, too: s 3.
func known(pieces []string) []string {
	var list []string
	for len(pieces) > 0 {
		n := 1
		for most := min(len(pieces), 3); most > 1; most-- {
			joined := strings.Join(pieces[:most], "")
			if _, ok := spelling[strings.ToLower(joined)]; ok || most == 2 && isLetterAndNumber(pieces[0], pieces[1]) {
				n = most
				break
			}
		}
		list = append(list, strings.Join(pieces[:n], ""))
		pieces = pieces[n:]
	}
	return list
}

func isLetterAndNumber(letter, number string) bool {
	return len(letter) == 1 && unicode.IsLetter(rune(letter[0])) && unicode.IsDigit(rune(number[0]))
}

// capitalize writes one word as in a title. Capitals that are not in the table are kept, unless the whole name was in capitals.
func capitalize(word string, shouting bool) string {
	lower := strings.ToLower(word)
	if s, ok := spelling[lower]; ok {
		return s
	}
	if word == strings.ToUpper(word) && !shouting {
		return word
	}
	r := []rune(lower)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// spelling has the words that are not written with one capital letter.
var spelling = byLowerCase(`
	2D 2FA 3D ACL AI API APIs APK ARN ASCII AST AWS Base64 CD CDN CDP CI CIDR CLI CMS CPU CRM CSS CSV CVE DB DBs DDL DM DNS DOM EC2 ECS EKS
	ETA ETF ETL FAQ FTP GCP GDPR GIF GPS GPU GraphQL GitHub GitLab HTML HTTP HTTPS IAM IBAN ID IDE IDs IO iOS IP IPs IPv4 IPv6 ISBN ISO
	JavaScript JPEG JPG JQL JS JSON JSONL JWT K8s KMS KPI KPIs LinkedIn LLM LSP macOS MCP MD5 ML MongoDB MP3 MP4 MR MRs MX MySQL NFT NPM
	NoSQL OAuth OAuth2 OCR OpenAI OpenAPI OS PDF PDFs PHP PNG PostgreSQL PR PRs QA QR RAG RAM RDF RPC RSS S3 SDK SEO SHA SHA1 SHA256 SLA
	SMS SMTP SNS SPARQL SQL SQLite SQS SSH SSL SSO SVG TCP TLS TOML TSV TTL TTS TV TypeScript UDP UI UID URI URIs URL URLs USB UTC UTF8
	UUID UX VM VMs VPC VPN W3C WhatsApp WiFi WWW XML XPath YAML YouTube`)

func byLowerCase(words string) map[string]string {
	table := map[string]string{}
	for word := range strings.FieldsSeq(words) {
		table[strings.ToLower(word)] = word
	}
	return table
}
