package webhooks

import "encoding/json"

type mark struct{ key, value string }

func (m mark) isIn(members map[string]json.RawMessage) bool {
	value, isThere := members[m.key]
	var text string
	return isThere && (m.value == "" || json.Unmarshal(value, &text) == nil && text == m.value)
}

// payloadOf reads a known topic's payload; nil for an unknown topic. Names are compared letter for letter, since package json
// takes AMOUNT for amount.
func payloadOf(topic string, raw []byte) (any, error) {
	readPayload, isKnown := payloads[topic]
	if !isKnown {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, refused(InvalidJSON, "the payload of %s is a JSON object; this body is another value", topic)
	}
	if !marks[topic].isIn(members) {
		for _, other := range marks {
			if other.isIn(members) {
				return nil, refused(TopicMismatch, "X-Service-Event says %s, but the signed payload belongs to another topic", topic)
			}
		}
	}
	exact := map[string]json.RawMessage{}
	for index, key := range keys[topic] {
		value, isThere := members[key]
		if !isThere || string(value) == "null" {
			if index < required[topic] {
				return nil, refused(InvalidJSON, "the body is signed, but it is not a payload of %s", topic)
			}
			continue
		}
		exact[key] = value
	}
	text, err := json.Marshal(exact)
	if err == nil {
		var payload any
		if payload, err = readPayload(text); err == nil {
			return payload, nil
		}
	}
	return nil, refused(InvalidJSON, "the body is signed, but it is not a payload of %s", topic)
}

func read[T any](text []byte) (any, error) {
	payload := new(T)
	return payload, json.Unmarshal(text, payload)
}
