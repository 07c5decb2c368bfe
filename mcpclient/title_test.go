package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// titles has names of tools, and their titles.
const titles = `
	read_file Read File
	readFile Read File
	sequentialthinking Sequentialthinking
	get_pr_diff Get PR Diff
	github_search_code GitHub Search Code
	getGitHubIssue Get GitHub Issue
	gitlab.list_mrs GitLab List MRs
	get_http_url Get HTTP URL
	HTTPServerStart HTTP Server Start
	parseHTMLPage Parse HTML Page
	API-get-block-children API Get Block Children
	list_postgresql_dbs List PostgreSQL DBs
	shortenURLs Shorten URLs
	listS3Buckets List S3 Buckets
	getIPv4Address Get IPv4 Address
	aws___call_aws AWS Call AWS
	get_hyper3d_status Get Hyper 3D Status
	sha256Hash SHA256 Hash
	top10 Top 10
	get_v2_status Get V2 Status
	verify_2fa Verify 2FA
	get2ndItem Get 2nd Item
	getOAuthToken Get OAuth Token
	mcp3d_2D MCP 3D 2D
	GET_USER_NAME Get User Name
	queryXKCDComic Query XKCD Comic
	notion/search.pages Notion Search Pages
	--weird__name-- Weird Name
	../../etc/passwd Etc Passwd
	rechnung_öffnen Rechnung Öffnen
	検索_文書 検索_文書
	поиск_файлов поиск_файлов
	搜索_files 搜索_files
	البحث البحث
	___ Unnamed Tool
	get_all_the_issues_of_a_repository_by_label Get All The Issues O…Repository By Label
	get_all_the_issues_of_a_repository_by_author Get All The Issues O…epository By Author`

func TestTitleOfNames(t *testing.T) {
	for line := range strings.SplitSeq(strings.TrimSpace(titles), "\n") {
		name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		if got := mcpclient.Title("", name); got != want {
			t.Errorf("Title of %q is %q, want %q", name, got, want)
		}
	}
}

func TestTitleOfServer(t *testing.T) {
	for _, c := range []struct{ title, name, want string }{
		{"Long-running operation", "x", "Long-running operation"},
		{"  Read\n a file ", "x", "Read a file"},
		{"read_file", "read_file", "Read File"}, // no title, but the name again
		{"文書を検索", "x", "文書を検索"},
		{"\x1b", "read_file", "Read File"},
		{"\x1b[31mRead\x1b[0m File", "x", "[31mRead[0m File"},
		{"\x1b]0;pwned\x07", "read_file", "]0;pwned"},
		{"Read\u202e\u2066File", "x", "ReadFile"},
		{"Read\r\n\tFile\u2028", "x", "Read File"},
		{"   \n\t ", "read_file", "Read File"},
		{"\u200e\u200f", "read_file", "Read File"},
		{"", "\x1b]0;pwned\x07", "] 0;pwned"},
		{"", "read\u202e_file", "Read File"},
		{"", "a\nb", "A B"},
		{"", " \n ", "Unnamed Tool"},
		{"", "\x00\x01", "Unnamed Tool"},
		{"", "read\xfffile", "Read\ufffdfile"},
	} {
		if got := mcpclient.Title(c.title, c.name); got != c.want {
			t.Errorf("Title(%q, %q) = %q, want %q", c.title, c.name, got, c.want)
		}
	}
}

func TestLongTitles(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("get_the_", 25), strings.Repeat("x", 200), strings.Repeat("搜索文件", 50), strings.Repeat("поиск_", 33),
		strings.Repeat("البحث ", 33),
		strings.Repeat("👩\u200d👩\u200d👧\u200d👦", 50), strings.Repeat("e\u0301", 200),
		strings.Repeat("get_", 2_500_000) + "end",
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
		if n := testing.AllocsPerRun(1, func() { mcpclient.Title("", name) }); n > 5000 {
			t.Errorf("a name of %d bytes takes %v allocations", len(name), n)
		}
	}
}

func TestTitleOn(t *testing.T) {
	for server, want := range map[string]string{
		"github":                         "Search Issues on github",
		"git\x1b[2Jhub\n":                "Search Issues on git[2Jhub",
		"":                               "Search Issues",
		"\u202e ":                        "Search Issues",
		"the-server-of-a-very-long-name": "Search Issues on the-server…long-name",
		"一个名字很长很长的服务器":                   "Search Issues on 一个名字很…的服务器",
	} {
		if got := mcpclient.TitleOn(mcpclient.Title("", "search_issues"), server); got != want {
			t.Errorf("on %q it is %q, want %q", server, got, want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("", "get_http_url")
	f.Add("", strings.Repeat("長a", 40))
	f.Add("👩‍👩‍👧‍👦é́", "\x1b[2J")
	f.Add("", "S3AB12cdÉ_9")
	f.Fuzz(func(t *testing.T, title, name string) {
		got := mcpclient.Title(title, name)
		if got == "" || got != sanitize.Line(got) || ansi.StringWidthWc(got) > 40 {
			t.Errorf("%q is no safe line of %d cells", got, ansi.StringWidthWc(got))
		}
		if again := mcpclient.Title(got, name); again != got && got != sanitize.Line(name) {
			t.Errorf("the title %q became %q", got, again)
		}
		if again := mcpclient.Title(got, ""); again != got {
			t.Errorf("the title %q became %q", got, again)
		}
		on := mcpclient.TitleOn(got, name)
		if w := ansi.StringWidthWc(on); w > 64 || on != sanitize.Line(on) || !strings.HasPrefix(on, got) {
			t.Errorf("%q is no safe title of %d cells", on, w)
		}
	})
}
