package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// NewSecret returns a secret in the format of a registered endpoint's, for tests.
func NewSecret() string {
	var key [32]byte
	if _, err := rand.Read(key[:]); err != nil {
		panic(err)
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(key[:])
}

// sequence is of the event's time, in the service's format, so that later events sort behind earlier ones.
func sequence(at time.Time) string {
	return fmt.Sprintf("00000001%016x%032x", at.UnixMilli(), 0)
}

// Sign returns the headers of a delivery as the service sends it, for tests of your receiver.
func Sign(secrets []string, topic, eventID string, at time.Time, body []byte) (http.Header, error) {
	if len(secrets) == 0 {
		return nil, errors.New("webhooks: the secret is missing")
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		key := decode(secret)
		if key == nil {
			return nil, errors.New("webhooks: the secret does not have the form whsec_ and base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(eventID + "." + seconds + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	service := hmac.New(sha256.New, []byte(secrets[len(secrets)-1]))
	service.Write(body)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "Service-Webhooks/1.0")
	header.Set("X-Service-Signature", hex.EncodeToString(service.Sum(nil)))
	header.Set("X-Service-Event", topic)
	header.Set("X-Service-Event-Id", eventID)
	header.Set("X-Service-Event-Version", "1")
	header.Set("X-Service-Sequence", sequence(at))
	header.Set("X-Service-Environment", "TEST")
	header.Set("X-Service-Delivery-Attempt", "1")
	header.Set("Webhook-Id", eventID)
	header.Set("Webhook-Timestamp", seconds)
	header.Set("Webhook-Signature", strings.Join(signatures, " "))
	return header, nil
}
