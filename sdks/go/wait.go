package surety

import (
	"context"
	"time"
)

// WaitForRefund reads a refund until it is no longer PENDING, at first each second, then less often. It ends with the context,
// and then returns the refund as it was read last beside the context's error.
func (c *Client) WaitForRefund(ctx context.Context, refundID string) (*Refund, error) {
	read := func() (*Refund, error) { return c.Refunds.Get(ctx, refundID) }
	return waitUntil(ctx, read, func(refund *Refund) bool { return refund.Status != "PENDING" })
}

// WaitForVerification does the same for a verification. REQUIRES_ACTION ends the wait too.
func (c *Client) WaitForVerification(ctx context.Context, reference string) (*Verification, error) {
	read := func() (*Verification, error) { return c.Verifications.Get(ctx, reference) }
	return waitUntil(ctx, read, func(verification *Verification) bool { return verification.Status != "PENDING" })
}

func waitUntil[T any](ctx context.Context, read func() (*T, error), isSettled func(*T) bool) (*T, error) {
	for wait := time.Second; ; wait = smaller(15*time.Second, wait*3/2) {
		record, err := read()
		if err != nil || isSettled(record) {
			return record, err
		}
		if err := sleep(ctx, wait); err != nil {
			return record, err
		}
	}
}

func smaller(one, other time.Duration) time.Duration {
	if one < other {
		return one
	}
	return other
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
