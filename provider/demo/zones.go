package demo

import (
	"slices"
	"strings"
	"time"
)

// place is somewhere with a clock.
type place struct {
	name  string // as a person writes it: "Tokyo"
	zone  string // as clocks know it: "Asia/Tokyo"; for an unknown place its name, so that the tool can say that it is unknown
	known bool
}

// zones are places that people ask the time of. Others are found when they are written like a zone.
var zones = map[string]string{
	"tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo", "osaka": "Asia/Tokyo", "kyoto": "Asia/Tokyo", "seoul": "Asia/Seoul", "korea": "Asia/Seoul",
	"beijing": "Asia/Shanghai", "shanghai": "Asia/Shanghai", "china": "Asia/Shanghai", "shenzhen": "Asia/Shanghai", "hong kong": "Asia/Hong_Kong",
	"taipei": "Asia/Taipei", "taiwan": "Asia/Taipei", "singapore": "Asia/Singapore", "manila": "Asia/Manila", "bangkok": "Asia/Bangkok",
	"thailand": "Asia/Bangkok", "hanoi": "Asia/Ho_Chi_Minh", "vietnam": "Asia/Ho_Chi_Minh", "jakarta": "Asia/Jakarta", "kuala lumpur": "Asia/Kuala_Lumpur",
	"delhi": "Asia/Kolkata", "new delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "bangalore": "Asia/Kolkata", "kolkata": "Asia/Kolkata", "india": "Asia/Kolkata",
	"karachi": "Asia/Karachi", "dhaka": "Asia/Dhaka", "kathmandu": "Asia/Kathmandu", "dubai": "Asia/Dubai", "tehran": "Asia/Tehran", "riyadh": "Asia/Riyadh",
	"jerusalem": "Asia/Jerusalem", "tel aviv": "Asia/Jerusalem", "istanbul": "Europe/Istanbul", "turkey": "Europe/Istanbul", "moscow": "Europe/Moscow",
	"kyiv": "Europe/Kyiv", "kiev": "Europe/Kyiv", "helsinki": "Europe/Helsinki", "finland": "Europe/Helsinki", "athens": "Europe/Athens", "greece": "Europe/Athens",
	"bucharest": "Europe/Bucharest", "sofia": "Europe/Sofia", "warsaw": "Europe/Warsaw", "poland": "Europe/Warsaw", "prague": "Europe/Prague",
	"vienna": "Europe/Vienna", "austria": "Europe/Vienna", "budapest": "Europe/Budapest", "berlin": "Europe/Berlin", "germany": "Europe/Berlin",
	"munich": "Europe/Berlin", "hamburg": "Europe/Berlin", "frankfurt": "Europe/Berlin", "zurich": "Europe/Zurich", "switzerland": "Europe/Zurich",
	"geneva": "Europe/Zurich", "rome": "Europe/Rome", "milan": "Europe/Rome", "italy": "Europe/Rome", "paris": "Europe/Paris", "france": "Europe/Paris",
	"madrid": "Europe/Madrid", "barcelona": "Europe/Madrid", "spain": "Europe/Madrid", "lisbon": "Europe/Lisbon", "portugal": "Europe/Lisbon",
	"amsterdam": "Europe/Amsterdam", "brussels": "Europe/Brussels", "copenhagen": "Europe/Copenhagen", "stockholm": "Europe/Stockholm",
	"sweden": "Europe/Stockholm", "oslo": "Europe/Oslo", "norway": "Europe/Oslo", "london": "Europe/London", "uk": "Europe/London", "england": "Europe/London",
	"edinburgh": "Europe/London", "dublin": "Europe/Dublin", "ireland": "Europe/Dublin", "reykjavik": "Atlantic/Reykjavik", "iceland": "Atlantic/Reykjavik",
	"cairo": "Africa/Cairo", "egypt": "Africa/Cairo", "lagos": "Africa/Lagos", "nairobi": "Africa/Nairobi", "kenya": "Africa/Nairobi",
	"johannesburg": "Africa/Johannesburg", "cape town": "Africa/Johannesburg", "casablanca": "Africa/Casablanca", "accra": "Africa/Accra",
	"new york": "America/New_York", "nyc": "America/New_York", "boston": "America/New_York", "washington": "America/New_York", "miami": "America/New_York",
	"atlanta": "America/New_York", "toronto": "America/Toronto", "montreal": "America/Toronto", "chicago": "America/Chicago", "texas": "America/Chicago",
	"houston": "America/Chicago", "dallas": "America/Chicago", "denver": "America/Denver", "phoenix": "America/Phoenix", "los angeles": "America/Los_Angeles",
	"san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "california": "America/Los_Angeles", "vancouver": "America/Vancouver",
	"anchorage": "America/Anchorage", "honolulu": "Pacific/Honolulu", "hawaii": "Pacific/Honolulu", "mexico city": "America/Mexico_City",
	"bogota": "America/Bogota", "lima": "America/Lima", "santiago": "America/Santiago", "buenos aires": "America/Argentina/Buenos_Aires",
	"sao paulo": "America/Sao_Paulo", "são paulo": "America/Sao_Paulo", "rio": "America/Sao_Paulo", "sydney": "Australia/Sydney",
	"melbourne": "Australia/Melbourne", "brisbane": "Australia/Brisbane", "perth": "Australia/Perth", "adelaide": "Australia/Adelaide",
	"auckland": "Pacific/Auckland", "wellington": "Pacific/Auckland", "new zealand": "Pacific/Auckland", "utc": "UTC", "gmt": "UTC",
}

var (
	zoneName = pattern(`\b[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+-]+)+\b`)
	someWord = pattern(`[\p{L}]+`)
	inPlace  = pattern(`\b(?:in|at|for) (\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*)`)
)

// findPlace looks for a zone, a known place, or else what is written like a place: "in Atlantis".
func findPlace(text string) place {
	for _, name := range zoneName().FindAllString(text, -1) {
		if _, err := time.LoadLocation(name); err == nil {
			return place{name: placeName(name), zone: name, known: true}
		}
	}
	found := someWord().FindAllStringIndex(text, -1)
	for n := 3; n >= 1; n-- { // the longest name first: "New York" before "York"
		for i := 0; i+n <= len(found); i++ {
			name := text[found[i][0]:found[i+n-1][1]]
			if zone, ok := zones[strings.ToLower(name)]; ok {
				return place{name: titleCase(name), zone: zone, known: true}
			}
		}
	}
	if m := inPlace().FindStringSubmatch(text); m != nil {
		return place{name: m[1], zone: m[1]}
	}
	return place{}
}

// placeName is the place in the name of a zone: "America/New_York" → "New York".
func placeName(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " ")
}

// titleCase writes a name as a person does; short ones are abbreviations.
func titleCase(name string) string {
	fields := strings.Fields(name)
	for i, f := range fields {
		if slices.Contains([]string{"uk", "nyc", "utc", "gmt"}, strings.ToLower(f)) {
			fields[i] = strings.ToUpper(f)
			continue
		}
		r := []rune(f)
		fields[i] = strings.ToUpper(string(r[:1])) + string(r[1:])
	}
	return strings.Join(fields, " ")
}
