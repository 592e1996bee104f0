package webhooks

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// A MemoryStore is a store in this process's memory: for one process, and lost when it ends.
type MemoryStore struct {
	// MaxEvents is how many events it remembers; beyond it the oldest are dropped.
	MaxEvents int
	// Remember is how long it remembers a completed event.
	Remember time.Duration
	// ClaimFor is how long a claim lasts that is neither completed nor released.
	ClaimFor time.Duration
	// Now replaces the clock, for tests.
	Now func() time.Time

	mutex     sync.Mutex
	running   entries
	completed entries
}

// NewMemoryStore remembers 100,000 events for 10 days, which exceeds the retry schedule even if Retry-After delays attempts.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{MaxEvents: 100_000, Remember: 10 * 24 * time.Hour, ClaimFor: 5 * time.Minute, Now: time.Now}
}

type entry struct {
	id     string
	endsAt time.Time
}

// entries are in the order in which they expire: each lives equally long.
type entries struct {
	order list.List
	byID  map[string]*list.Element
}

func (e *entries) add(id string, endsAt time.Time) *list.Element {
	if e.byID == nil {
		e.byID = map[string]*list.Element{}
	}
	e.remove(e.byID[id])
	element := e.order.PushBack(entry{id, endsAt})
	e.byID[id] = element
	return element
}

func (e *entries) remove(element *list.Element) {
	if element == nil {
		return
	}
	if id := element.Value.(entry).id; e.byID[id] == element {
		delete(e.byID, id)
		e.order.Remove(element)
	}
}

// forget drops expired entries and, oldest first, those beyond most.
func (e *entries) forget(now time.Time, most int) {
	for first := e.order.Front(); first != nil; first = e.order.Front() {
		if first.Value.(entry).endsAt.After(now) && (most < 0 || e.order.Len() <= most) {
			return
		}
		e.remove(first)
	}
}

// Claim implements Store.
func (s *MemoryStore) Claim(_ context.Context, eventID string) (Claim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := s.Now()
	s.running.forget(now, -1)
	s.completed.forget(now, s.MaxEvents)
	if s.completed.byID[eventID] != nil {
		return Claim{State: Completed}, nil
	}
	// Full of active claims: better to have this event retried later than to run one twice.
	if s.running.byID[eventID] != nil || s.running.order.Len() >= s.MaxEvents {
		return Claim{State: Running}, nil
	}
	mine := s.running.add(eventID, now.Add(s.ClaimFor))
	release := func(context.Context) error {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.running.remove(mine)
		return nil
	}
	complete := func(context.Context) error {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.running.remove(mine)
		s.completed.add(eventID, s.Now().Add(s.Remember))
		s.completed.forget(s.Now(), s.MaxEvents)
		return nil
	}
	return Claim{State: Claimed, Complete: complete, Release: release}, nil
}
