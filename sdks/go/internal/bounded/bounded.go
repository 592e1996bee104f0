// Package bounded reads JSON within bounds that are far above every document of the service.
package bounded

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

const (
	maxDepth = 64
	maxParts = 100_000
)

// ErrNotJSON is all that is said of bytes that are not JSON in UTF-8, or that are out of bounds.
var ErrNotJSON = errors.New("not JSON in UTF-8, or larger than any response of the service")

// Document returns the JSON without a byte order mark, if it is valid.
func Document(body []byte) ([]byte, error) {
	text := bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) || !isBounded(text) || !json.Valid(text) {
		return nil, ErrNotJSON
	}
	return text, nil
}

func isBounded(text []byte) bool {
	depth, parts := 0, 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '[', '{':
			depth++
			parts++
		case ']', '}':
			depth--
		case ',':
			parts++
		}
		if depth > maxDepth || parts > maxParts {
			return false
		}
	}
	return true
}
