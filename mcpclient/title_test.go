package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
)

func TestTitleOfToolsAsServersNameThem(t *testing.T) {
	for name, want := range map[string]string{
		// file systems, memory, shell
		"read_file":                "Read File",
		"read_multiple_files":      "Read Multiple Files",
		"list_allowed_directories": "List Allowed Directories",
		"directory_tree":           "Directory Tree",
		"readFile":                 "Read File",
		"create_entities":          "Create Entities",
		"open_nodes":               "Open Nodes",
		"sequentialthinking":       "Sequentialthinking",
		"run-shell-command":        "Run Shell Command",
		"execute_bash":             "Execute Bash",
		// the protocol's test server
		"echo":                           "Echo",
		"get-sum":                        "Get Sum",
		"get-tiny-image":                 "Get Tiny Image",
		"gzip-file-as-resource":          "Gzip File As Resource",
		"trigger-long-running-operation": "Trigger Long Running Operation",
		"simulate-research-query":        "Simulate Research Query",
		// code hosting
		"create_pull_request": "Create Pull Request",
		"list_prs":            "List PRs",
		"get_pr_diff":         "Get PR Diff",
		"github_search_code":  "GitHub Search Code",
		"getGitHubIssue":      "Get GitHub Issue",
		"gitlab.list_mrs":     "GitLab List MRs",
		"get_me":              "Get Me",
		// the web
		"get_http_url":                 "Get HTTP URL",
		"fetch_html":                   "Fetch HTML",
		"browser_take_screenshot":      "Browser Take Screenshot",
		"browser_pdf_save":             "Browser PDF Save",
		"puppeteer_navigate":           "Puppeteer Navigate",
		"brave_web_search":             "Brave Web Search",
		"tavily-search":                "Tavily Search",
		"firecrawl_check_crawl_status": "Firecrawl Check Crawl Status",
		"resolve-library-id":           "Resolve Library ID",
		"get-library-docs":             "Get Library Docs",
		"HTTPServerStart":              "HTTP Server Start",
		"parseHTMLPage":                "Parse HTML Page",
		"API-post-search":              "API Post Search",
		"API-get-block-children":       "API Get Block Children",
		// data
		"execute_sql":         "Execute SQL",
		"pg_execute_query":    "Pg Execute Query",
		"list_postgresql_dbs": "List PostgreSQL DBs",
		"mysql_query":         "MySQL Query",
		"runGraphQLQuery":     "Run GraphQL Query",
		"exportToCSV":         "Export To CSV",
		"validateJSON":        "Validate JSON",
		"get_user_by_id":      "Get User By ID",
		"getUserIDs":          "Get User IDs",
		"shortenURLs":         "Shorten URLs",
		"search_youtube":      "Search YouTube",
		// clouds and systems
		"s3_list_objects":        "S3 List Objects",
		"listS3Buckets":          "List S3 Buckets",
		"describe_ec2_instances": "Describe EC2 Instances",
		"k8s_get_pods":           "K8s Get Pods",
		"getIPv4Address":         "Get IPv4 Address",
		"dns_lookup":             "DNS Lookup",
		"check_ssl_cert":         "Check SSL Cert",
		"get_cpu_usage":          "Get CPU Usage",
		// digits
		"base64_encode": "Base64 Encode",
		"sha256Hash":    "SHA256 Hash",
		"top10":         "Top 10",
		"get_v2_status": "Get V2 Status",
		"verify_2fa":    "Verify 2FA",
		"get2ndItem":    "Get 2nd Item",
		"render3D":      "Render 3D",
		"oauth2_token":  "OAuth2 Token",
		"getOAuthToken": "Get OAuth Token",
		"mcp3d_2D":      "MCP 3D 2D",
		// shouting, own capitals, paths, server and tool in one
		"GET_USER_NAME":       "Get User Name",
		"queryXKCDComic":      "Query XKCD Comic",
		"notion/search.pages": "Notion Search Pages",
		"files__read_file":    "Files Read File",
		"--weird__name--":     "Weird Name",
		// other alphabets
		"rechnung_öffnen": "Rechnung Öffnen",
		"検索_文書":           "検索_文書",
		"поиск_файлов":    "поиск_файлов",
		"搜索_files":        "搜索_files",
		"读取文件":            "读取文件",
		"get_今日の天気":       "get_今日の天気",
		"البحث":           "البحث",
		// hostile or empty
		"":                 "Unnamed Tool",
		"___":              "Unnamed Tool",
		"\x1b]0;pwned\x07": "] 0;pwned",
		"read\u202e_file":  "Read File",
		"a\nb":             "A B",
	} {
		if got := mcpclient.Title("", name); got != want {
			t.Errorf("Title of %q is %q, want %q", name, got, want)
		}
	}
}

func TestTitleOfTheServerWins(t *testing.T) {
	for _, c := range []struct{ title, name, want string }{
		{"Long-running operation", "x", "Long-running operation"},
		{"  Read\n a file ", "x", "Read a file"},
		{"read_file", "read_file", "Read File"}, // no title, but the name again
		{"\x1b", "read_file", "Read File"},
		{"文書を検索", "x", "文書を検索"},
	} {
		if got := mcpclient.Title(c.title, c.name); got != c.want {
			t.Errorf("Title(%q, %q) = %q, want %q", c.title, c.name, got, c.want)
		}
	}
}

func TestLongTitleIsCutInItsMiddle(t *testing.T) {
	for name, want := range map[string]string{
		"get_all_the_issues_of_a_repository_by_label":  "Get All The Issues O…Repository By Label",
		"get_all_the_issues_of_a_repository_by_author": "Get All The Issues O…epository By Author",
		strings.Repeat("長", 20):                        strings.Repeat("長", 20),
		strings.Repeat("長", 21):                        strings.Repeat("長", 10) + "…" + strings.Repeat("長", 9),
	} {
		if got := mcpclient.Title("", name); got != want {
			t.Errorf("Title of %q is %q, want %q", name, got, want)
		}
	}
}

// family is one character of several, joined.
const family = "👩\u200d👩\u200d👧\u200d👦"

func TestLongNamesOfAllScripts(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("get_the_", 25),
		strings.Repeat("x", 200),
		strings.Repeat("搜索文件", 50),
		strings.Repeat("ファイル検索", 33),
		strings.Repeat("поиск_", 33),
		strings.Repeat("البحث ", 33),
		strings.Repeat("搜索_files_", 20),
		strings.Repeat(family, 50),
		strings.Repeat("e\u0301", 200),
		strings.Repeat("한국어", 66),
	} {
		for _, got := range []string{mcpclient.Title("", name), mcpclient.Title(name, "x")} {
			left, right, cut := strings.Cut(got, "…")
			if w := ansi.StringWidthWc(got); !cut || w > 40 || w < 33 {
				t.Errorf("%q has %d cells", got, w)
			}
			if l, r := ansi.StringWidthWc(left), ansi.StringWidthWc(right); l-r > 9 || r-l > 9 {
				t.Errorf("%q is not cut in its middle: %d and %d cells", got, l, r)
			}
			if strings.HasPrefix(right, "\u200d") || strings.HasPrefix(right, "\u0301") || strings.HasSuffix(left, "\u200d") {
				t.Errorf("%q is cut inside a character", got)
			}
		}
	}
}

func TestAnAbsurdlyLongNameCostsNoMoreThanALongOne(t *testing.T) {
	name := strings.Repeat("get_", 2_500_000) + "end"
	if got, want := mcpclient.Title("", name), "Get Get Get Get Get …Get Get Get Get End"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := testing.AllocsPerRun(1, func() { mcpclient.Title("", name) }); n > 5000 {
		t.Errorf("a name of 10 MB takes %v allocations", n)
	}
	if got := mcpclient.Title(strings.Repeat("長", 1_000_000), "x"); got != strings.Repeat("長", 10)+"…"+strings.Repeat("長", 9) {
		t.Errorf("got %q", got)
	}
}

func TestHostileTitles(t *testing.T) {
	for _, c := range []struct{ title, name, want string }{
		{"\x1b[31mRead\x1b[0m File", "x", "[31mRead[0m File"},
		{"\x1b]0;pwned\x07", "read_file", "]0;pwned"},
		{"Read\u202e\u2066File", "x", "ReadFile"},
		{"Read\r\n\tFile\u2028", "x", "Read File"},
		{"   \n\t ", "read_file", "Read File"},
		{"\u200e\u200f", "read_file", "Read File"},
		{"", " \n ", "Unnamed Tool"},
		{"", "\x00\x01", "Unnamed Tool"},
		{"", "../../etc/passwd", "Etc Passwd"},
		{"", "read\xfffile", "Read\ufffdfile"},
	} {
		if got := mcpclient.Title(c.title, c.name); got != c.want {
			t.Errorf("Title(%q, %q) = %q, want %q", c.title, c.name, got, c.want)
		}
	}
}

func TestTheSameToolOnTwoServersIsToldWithItsServer(t *testing.T) {
	for _, c := range []struct{ server, want string }{
		{"github", "Search Issues · github"},
		{"git\x1b[2Jhub\n", "Search Issues · git[2Jhub"},
		{"", "Search Issues"},
		{"\u202e ", "Search Issues"},
		{"the-server-of-a-very-long-name", "Search Issues · the-server…long-name"},
		{"一个名字很长很长的服务器", "Search Issues · 一个名字很…的服务器"},
	} {
		got := mcpclient.TitleOn(mcpclient.Title("", "search_issues"), c.server)
		if got != c.want {
			t.Errorf("on %q it is %q, want %q", c.server, got, c.want)
		}
	}
	long := mcpclient.TitleOn(mcpclient.Title("", strings.Repeat("a", 200)), strings.Repeat("b", 200))
	if w := ansi.StringWidthWc(long); w > 63 {
		t.Errorf("%q has %d cells", long, w)
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("", "get_http_url")
	f.Add("", strings.Repeat("長a", 40))
	f.Add("👩‍👩‍👧‍👦é́", "\x1b[2J")
	f.Add("", "S3AB12cdÉ_9")
	for _, tool := range realTools {
		f.Add("", tool.name)
	}
	f.Fuzz(func(t *testing.T, title, name string) {
		got := mcpclient.Title(title, name)
		if got == "" || got != sanitize.Line(got) {
			t.Errorf("%q is not a safe line", got)
		}
		if w := ansi.StringWidthWc(got); w > 40 {
			t.Errorf("%q is %d cells wide", got, w)
		}
		if again := mcpclient.Title(got, name); again != got && got != sanitize.Line(name) {
			t.Errorf("the title %q became %q", got, again)
		}
		if again := mcpclient.Title(got, ""); again != got {
			t.Errorf("the title %q became %q", got, again)
		}
		on := mcpclient.TitleOn(got, name)
		if w := ansi.StringWidthWc(on); w > 63 || on != sanitize.Line(on) || !strings.HasPrefix(on, got) {
			t.Errorf("%q is no safe title of %d cells", on, w)
		}
	})
}

func BenchmarkTitle(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mcpclient.Title("", "get_http_url_of_github_issue")
	}
}
