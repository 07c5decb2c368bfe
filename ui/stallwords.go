package ui

import "github.com/aloudchat/aloud/status"

// stallWords are what is offered when a reply has fallen silent. It stands in the place of the status line, and so it speaks its language.
type stallWords struct {
	silent, since     string // for how long, since what time of day
	wait, again, stop string // what the keys do
	againShort        string // again, where there is little room
	waits, asksAgain  string // what is going to be done
	typeOn            string // how it is not
}

func stallWordsOf(l status.Language) stallWords {
	switch l {
	case status.Chinese:
		return stallWords{"已 %s 无输出", "自 %s 起无输出", "等待", "重新提问", "停止", "重问", "继续等待", "重新提问", "继续输入即可写消息"}
	case status.Spanish:
		return stallWords{"Sin salida desde hace %s", "Sin salida desde las %s", "esperar", "volver a pedir", "parar", "repetir",
			"Sigue esperando", "Lo pide de nuevo", "siga escribiendo para un mensaje"}
	case status.German:
		return stallWords{"Seit %s keine Ausgabe", "Keine Ausgabe seit %s", "warten", "neu fragen", "stoppen", "neu",
			"Wartet weiter", "Fragt neu", "weiterschreiben für eine Nachricht"}
	case status.Japanese:
		return stallWords{"%s 出力なし", "%s から出力なし", "待つ", "もう一度頼む", "中止", "再試行", "待ち続けます", "もう一度頼みます", "入力を続けるとメッセージになります"}
	}
	return stallWords{"No output for %s", "No output since %s", "wait", "ask again", "stop", "again", "Goes on waiting", "Asks again", "type on to write"}
}
