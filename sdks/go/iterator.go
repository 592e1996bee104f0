package surety

import (
	"context"
	"errors"
	"net/url"
)

// An Iterator walks through a list, page after page:
//
//	refunds := client.Refunds.List(params)
//	for refunds.Next(ctx) {
//		refund := refunds.Value()
//	}
//	if err := refunds.Err(); err != nil { … }
type Iterator[T any] struct {
	send *sender
	call call

	data    []T
	value   *T
	cursor  string
	started bool
	err     error
	// One remembered cursor, which is replaced after twice as many pages as before (Brent).
	mark          string
	pages         int
	untilNextMark int
}

func newIterator[T any](send *sender, c call) *Iterator[T] {
	return &Iterator[T]{send: send, call: c, untilNextMark: 1}
}

// Next reads the next record. It returns false at the end, and for an error, which Err returns.
func (it *Iterator[T]) Next(ctx context.Context) bool {
	for it.err == nil && len(it.data) == 0 {
		if it.started && it.cursor == "" {
			return false
		}
		it.readPage(ctx)
	}
	if it.err != nil {
		return false
	}
	it.value, it.data = &it.data[0], it.data[1:]
	return true
}

func (it *Iterator[T]) readPage(ctx context.Context) {
	next := it.call
	if it.started {
		next.query = url.Values{}
		for name, values := range it.call.query {
			next.query[name] = values
		}
		next.query.Set("cursor", it.cursor)
	}
	found, err := readPage[T](ctx, it.send, next)
	if err != nil {
		it.err = err
		return
	}
	// A list to poll ends, for now, where its cursor stays the same.
	if it.started && len(found.Data) == 0 && found.NextCursor == it.cursor {
		it.cursor = ""
		return
	}
	it.started, it.data, it.cursor = true, found.Data, found.NextCursor
	if it.cursor == "" {
		return
	}
	if it.cursor == it.mark {
		it.err = errors.New("surety: the list is circular: a page's cursor leads back to an earlier page")
	}
	if it.pages++; it.pages == it.untilNextMark {
		it.mark, it.pages, it.untilNextMark = it.cursor, 0, it.untilNextMark*2
	}
}

// Value returns the record that Next read.
func (it *Iterator[T]) Value() *T { return it.value }

// Err returns the error that ended the walk; nil at its end.
func (it *Iterator[T]) Err() error { return it.err }
