package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{status.English.Phase(status.Idle), ""},
		{status.English.Connecting(1, 3), "Connecting to servers (1/3)"},
		{status.English.Phase(status.Analyzing), "Analyzing request…"},
		{status.English.Loading("qwen3:14b"), "Loading qwen3:14b…"},
		{status.English.Loading("\x1b"), "Loading the model…"},
		{status.English.Reading(12_412), "Reading 12.4k tokens…"},
		{status.English.Reading(0), "Reading…"},
		{status.German.Attaching("@files:notes\n.txt"), "Liest @files:notes .txt…"},
		{status.Chinese.Attaching("@files:notes.txt"), "正在读取 @files:notes.txt…"},
		{status.English.Phase(status.Thinking), "Thinking…"},
		{status.English.Phase(status.Selecting), "Selecting appropriate tools…"},
		{status.English.Using("Read File"), "Using Read File…"},
		{status.English.Using("Read File", "Search Issues"), "Using 2 tools: Read File, Search Issues"},
		{status.English.Using("Read File", "Search Issues", "Current Time"), "Using 3 tools: Read File, Search Issues, …"},
		{status.English.Using(), "Using a tool…"},
		{status.English.Phase(status.Processing), "Processing tool results…"},
		{status.English.Phase(status.Formulating), "Formulating response…"},
		{status.English.Phase(status.Approval), "Waiting for your approval"},
		{status.English.Asks("every\x1bthing"), "Everything asks you something"},
		{status.English.Samples("everything"), "The model writes for everything…"},
		{status.German.Asks("everything"), "Everything fragt dich etwas"},
		{status.Chinese.Samples("everything"), "模型正在为 everything 写作…"},
		{status.English.Retrying(2, 3), "Retrying (2/3)"},
		{status.English.Phase(status.Compacting), "Compacting…"},
		{status.English.Failed("Read File"), "Tool Read File failed, trying alternative approach…"},
		{status.English.Stopped("10 tool rounds\nare used"), "Stopped: 10 tool rounds are used"},
		{status.English.Stopped(""), "Stopped"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestWordsOfAllLanguages(t *testing.T) {
	for _, c := range []struct {
		of   func(status.Language) string
		want [5]string // in the order of status.Languages
	}{
		{func(l status.Language) string { return l.Tools(0, 0) }, [5]string{"0 tools", "0 个工具", "0 herramientas", "0 Werkzeuge", "ツール 0 個"}},
		{func(l status.Language) string { return l.Tools(1, 0) }, [5]string{"1 tool", "1 个工具", "1 herramienta", "1 Werkzeug", "ツール 1 個"}},
		{func(l status.Language) string { return l.Tools(3, 1) }, [5]string{"3 tools, 1 failed", "3 个工具，1 个失败", "3 herramientas, 1 con error", "3 Werkzeuge, 1 fehlgeschlagen", "ツール 3 個（失敗 1）"}},
		{func(l status.Language) string { return l.Tools(3, 0) }, [5]string{"3 tools", "3 个工具", "3 herramientas", "3 Werkzeuge", "ツール 3 個"}},
		{func(l status.Language) string { return l.Loaded(9 * time.Second) }, [5]string{"load 9s", "加载 9s", "carga 9s", "Laden 9s", "読み込み 9s"}},
		{
			func(l status.Language) string { return l.HasRead(2100, 3*time.Second) },
			[5]string{"read 2.1k tok 3s", "读取 2.1k token 用 3s", "2.1k tok leídos en 3s", "2.1k Token in 3s gelesen", "2.1k トークンを 3s で読み取り"},
		},
		{
			func(l status.Language) string { return l.Wrote(412, 13*time.Second) },
			[5]string{"412 tok at 31/s", "412 token，31/s", "412 tok a 31/s", "412 Token mit 31/s", "412 トークン、31/s"},
		},
		{func(l status.Language) string { return l.Wrote(412, 0) }, [5]string{"412 tok", "412 token", "412 tok", "412 Token", "412 トークン"}},
		{
			func(l status.Language) string { return l.Using("Read File", "検索") },
			[5]string{
				"Using 2 tools: Read File, 検索", "正在使用 2 个工具：Read File、検索", "Usando 2 herramientas: Read File, 検索", "Verwendet 2 Werkzeuge: Read File, 検索",
				"ツール 2 個を使用中：Read File、検索",
			},
		},
		{ // no space between two letters of the same kind, but one between Latin letters and others
			func(l status.Language) string {
				return l.Using("検索") + l.Using("検索 PDF") + l.Using("PDF 検索")
			},
			[5]string{
				"Using 検索…Using 検索 PDF…Using PDF 検索…", "正在使用検索…正在使用検索 PDF…正在使用 PDF 検索…", "Usando 検索…Usando 検索 PDF…Usando PDF 検索…",
				"Verwendet 検索…Verwendet 検索 PDF…Verwendet PDF 検索…", "検索を使用中…検索 PDF を使用中…PDF 検索を使用中…",
			},
		},
		{
			func(l status.Language) string { return l.Failed("検索") },
			[5]string{
				"Tool 検索 failed, trying alternative approach…", "工具検索失败，正在尝试其他方法…", "Falló 検索, probando otra vía…",
				"検索 schlug fehl, versucht es anders…", "検索が失敗、別の方法を試しています…",
			},
		},
		{
			func(l status.Language) string { return l.UsingFor(3, "S") + l.UsingFor(1, "S") },
			[5]string{"Using 3 tools: SS", "正在使用 3 个工具：SS", "Usando 3 herramientas: SS", "Verwendet 3 Werkzeuge: SS", "ツール 3 個を使用中：SS"},
		},
		{
			func(l status.Language) string { return l.Silent(64*time.Second) + " · w " + l.Stall().Wait },
			[5]string{"No output for 1m04s · w wait", "1m04s 无输出 · w 继续等待", "1m04s sin respuesta · w esperar", "1m04s ohne Ausgabe · w warten", "1m04s 応答なし · w 待つ"},
		},
		{
			func(l status.Language) string { return l.SilentSince(noon) + " · r " + l.Stall().Again },
			[5]string{
				"No output since 12:00:00 · r ask again", "12:00:00 起无输出 · r 重新请求", "Nada desde las 12:00:00 · r pedir de nuevo",
				"Nichts seit 12:00:00 · r neu anfragen", "12:00:00 から応答なし · r もう一度頼む",
			},
		},
		{
			func(l status.Language) string { return l.Likely(l.Loading("m"), 14*time.Second) },
			[5]string{"Loading m, about 14s", "正在加载 m，约 14s", "Cargando m, unos 14s", "Lädt m, etwa 14s", "m を読み込み中、約 14s"},
		},
		{
			func(l status.Language) string { return l.ToRetry("esc", "/retry") },
			[5]string{"esc to stop, then /retry", "按 esc 停止，再用 /retry 重试", "esc para detener, luego /retry", "esc stoppt, dann /retry", "esc で停止、/retry で再試行"},
		},
	} {
		for i, l := range status.Languages() {
			if got := c.of(l); got != c.want[i] {
				t.Errorf("%s says %q, want %q", l, got, c.want[i])
			}
		}
	}
}

func TestALongModelNameKeepsBothEnds(t *testing.T) {
	got := status.English.Loading("hf.co/" + strings.Repeat("unsloth/", 60) + "Qwen3-30B-GGUF:Q4_K_M")
	if got != "Loading hf.co/unsloth/unslot…en3-30B-GGUF:Q4_K_M…" {
		t.Errorf("got %q", got)
	}
}
