package tinymodel

// Turns returns the scripts of the turns that are recorded for the status line. They override those of Scenarios.
func Turns() map[string]Script {
	return map[string]Script{
		"status": {{Text: "Running the operation that takes its time"}},

		"trip": {{
			Think: "Somebody asks for a train. Which days run late? Sundays do, and the last leaves around nine.",
			Text:  "Take the seven o'clock train. On Sundays the final departure is at nine, and delays happen often.\n",
		}},
		"essay": {{Text: "Long ago, before railways, mail went by coach. Horses were changed every fifteen miles, at inns " +
			"along post roads. Letters cost dearly, so families wrote seldom and crossed their lines to save paper.\n"}},

		"operation": {{Text: slow(8)}, {Text: "That operation has finished without trouble.\n"}},
		"announced": {{Text: "Let me start the slow operation. " + slow(5)}, {Text: "It ran exactly as announced.\n"}},
		"mirror":    {{Text: echo("mirror, mirror")}, {Text: "Whatever goes in comes out unchanged.\n"}},
		"studies": {
			{
				Think: "Okay, somebody wants both numbers added and said back. I should add the two numbers first.",
				Text:  sum(19, 23),
			},
			{Think: "That gave 42. Now I need to send the sum to the echo.", Text: echo("the sum is 42")},
			{Think: "The echo agrees. Nothing is missing.", Text: echo("checked twice")},
			{Think: "So both are done.", Text: "Nineteen and twenty-three are 42, and the echo said so.\n"},
		},
		"works": {
			{Text: sum(17, 25)}, {Text: echo("that sum is also 42")}, {Text: "Seventeen and twenty-five are 42, too.\n"},
		},
		"printed": {
			{Text: `{"name": "everything__echo", "arguments": {"message": "every call that is written as text has to be ` +
				`read to its end before anybody can tell"}}`},
			{Text: "Even so it was understood.\n"},
		},
		"three": {
			{Text: slow(7) + "\n" + echo("second of three") + "\n" + sum(19, 23)},
			{Text: "All three came back; nineteen plus twenty-three makes 42.\n"},
		},
		"keep":    {{Text: write("packing.txt")}, {Text: "Your packing list is saved.\n"}},
		"mislaid": {{Text: read("mislaid.txt")}, {Text: echo("plan B")}, {Text: "Plan B did it.\n"}},

		"hopeless": repeated(5, func(i int) string { return read(string(rune('a'+i)) + "-nowhere.txt") }),
		"restless": repeated(5, func(i int) string { return echo("restless " + string(rune('a'+i))) }),
		"inventor": repeated(4, func(i int) string {
			return call("everything__teleport", `{"to": "`+string(rune('a'+i))+`"}`)
		}),
		"cannot": {{Text: "[cannot] Nothing here could book that ticket."}},
	}
}
