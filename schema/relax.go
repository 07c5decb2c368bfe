package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// enumLimit is how many values an enumeration may have to be looked through.
const enumLimit = 5000

// relax takes out of a schema what is not for us to insist on: formats, patterns of names that nobody understands, and lists of values
// without end. It puts in that steps are counted.
func (s *steps) relax(root *jsonschema.Schema) {
	for _, part := range Reach(root, parts) {
		if part.Enum != nil && len(part.Enum.Values) > enumLimit {
			part.Enum = nil
		}
		for p := range part.PatternProperties {
			if own, ok := p.(*pattern); ok && own.program == nil {
				delete(part.PatternProperties, p)
				part.AdditionalProperties, part.UnevaluatedProperties = nil, nil
			}
		}
		part.Format = s.meter(part)
	}
}
