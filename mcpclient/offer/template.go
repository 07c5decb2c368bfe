package offer

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"
)

// Variables are the names of what has to be filled in before a template is an address, each once. Those of a resource are none.
func (r Resource) Variables() []string {
	t, err := r.template()
	if err != nil {
		return nil
	}
	var names []string
	for _, name := range t.Varnames() {
		if !slices.Contains(names, name) && len(names) < maxArguments {
			names = append(names, name)
		}
	}
	return names
}

// Fill makes an address of a template. What is not filled in is left out.
func (r Resource) Fill(values map[string]string) (uri string, err error) {
	t, err := r.template()
	if err != nil {
		return "", err
	}
	filled := uritemplate.Values{}
	for name, value := range values {
		filled.Set(name, uritemplate.String(value))
	}
	uri, err = t.Expand(filled)
	if err != nil || !IsURI(uri) {
		return "", fmt.Errorf("the template %.100q does not become an address with these values", r.URI)
	}
	return uri, nil
}

func (r Resource) template() (*uritemplate.Template, error) {
	if !r.Template || len(r.URI) > LongestURI || strings.Count(r.URI, "{") > maxArguments {
		return nil, errors.New("this is no template")
	}
	return uritemplate.New(r.URI)
}

// Fits tells whether an address can have come from this template, by the characters that each of its expressions may become. The library's own
// matching, and its regular expressions, take hours and all the memory for a template like {a:9999}{b:9999}.
func (r Resource) Fits(uri string) bool {
	if _, err := r.template(); err != nil || len(uri) > LongestURI {
		return false
	}
	var shape strings.Builder
	found := expressions.FindAllStringSubmatch(r.URI, -1)
	for i, literal := range expressions.Split(r.URI, -1) {
		shape.WriteString(regexp.QuoteMeta(literal))
		if i < len(found) {
			shape.WriteString(becomes(found[i][1]))
		}
	}
	fits, err := regexp.Compile("^" + shape.String() + "$")
	return err == nil && fits.MatchString(uri)
}

// expressions of a template, with their operators.
var expressions = regexp.MustCompile(`\{([+#./;?&]?)[^}]*\}`)

// becomes is a regular expression for what an expression of a template may become: characters, behind its operator if they begin with it.
func becomes(operator string) string {
	may := "A-Za-z0-9._~%,"
	switch operator {
	case "+", "#":
		may += "!$&'()*/:;=?@#+" + `\[\]`
	case ";", "?", "&":
		may += operator + "&="
	default:
		may += operator + "="
	}
	if operator == "" || operator == "+" {
		return "[" + may + "-]*"
	}
	return "(?:" + regexp.QuoteMeta(operator) + "[" + may + "-]*)?"
}
