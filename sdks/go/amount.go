package surety

import (
	"regexp"
	"strconv"
	"strings"
)

// An Amount is a decimal number of major units: "2500.50" is two thousand five hundred naira fifty kobo. Its zero value is
// no amount, and is refused before anything is sent.
type Amount struct{ digits string }

// Digits that a JSON number carries exactly; the interface accepts no more.
const mostDigits = 15

var (
	decimal    = regexp.MustCompile(`\A([0-9]+)(?:\.([0-9]+))?\z`)
	jsonNumber = regexp.MustCompile(`\A-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z`)
)

// ParseAmount reads digits, and a point before decimals; at most 15 digits in all, so that nothing is rounded.
func ParseAmount(text string) (Amount, error) {
	match := decimal.FindStringSubmatch(text)
	if match == nil || len(strings.TrimLeft(match[1]+match[2], "0")) > mostDigits {
		return Amount{}, usage("an amount must be digits, with a point before any decimals: at most 15 digits in all")
	}
	whole, fraction := strings.TrimLeft(match[1], "0"), strings.TrimRight(match[2], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return Amount{whole + fraction}, nil
}

// MustAmount is ParseAmount for constants. It panics where that fails.
func MustAmount(text string) Amount {
	amount, err := ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return amount
}

// MinorAmount is the amount of minor units of a currency with this number of decimals: MinorAmount(250050, 2) is 2500.5.
func MinorAmount(minor int64, decimals int) (Amount, error) {
	if minor < 0 || decimals < 0 || decimals > 6 {
		return Amount{}, usage("minor units must be 0 or more, and decimals the currency's: 2 for NGN")
	}
	digits := strconv.FormatInt(minor, 10)
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	if fraction != "" {
		fraction = "." + fraction
	}
	return ParseAmount(whole + fraction)
}

// Minor returns the minor units, for sums: 250050 for 2500.5 and 2 decimals. It fails if the amount has more decimals.
func (a Amount) Minor(decimals int) (int64, error) {
	exact, err := ParseAmount(a.digits)
	if err != nil || decimals < 0 || decimals > 6 {
		return 0, usage("the amount has no minor units")
	}
	whole, fraction, _ := strings.Cut(exact.digits, ".")
	if len(fraction) > decimals {
		return 0, usage("the amount has more than %d decimals", decimals)
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil {
		return 0, usage("the amount is too large")
	}
	return minor, nil
}

// String returns the digits.
func (a Amount) String() string { return a.digits }

// MarshalJSON writes a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !jsonNumber.MatchString(a.digits) {
		return nil, usage("an amount is not set: pass nil for the whole payment")
	}
	return []byte(a.digits), nil
}

// UnmarshalJSON reads a JSON number as it is written.
func (a *Amount) UnmarshalJSON(data []byte) error {
	if !jsonNumber.Match(data) {
		return usage("an amount is not a number")
	}
	a.digits = string(data)
	return nil
}

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }
