<?php

declare(strict_types=1);

namespace Surety;

/**
 * One page of a list. The last one has no `nextCursor`.
 *
 * @template T of Record
 */
final class Page
{
    /** @param list<T> $data */
    public function __construct(
        public readonly array $data,
        public readonly ?string $nextCursor,
        public readonly Reply $reply,
    ) {
    }
}

/**
 * A list. Iterating over it reads page after page; each new iteration starts again at the first one.
 *
 * @template T of Record
 * @implements \IteratorAggregate<int, T>
 */
final class Pages implements \IteratorAggregate
{
    /**
     * @internal
     * @param \Closure(?string): Page<T> $read
     */
    public function __construct(private readonly \Closure $read)
    {
    }

    public function getIterator(): \Generator
    {
        $number = 0;
        foreach ($this->pages() as $page) {
            foreach ($page->data as $record) {
                yield $number++ => $record;
            }
        }
    }

    /**
     * Walks through the pages. Throws `SuretyError` if a page leads to one before it.
     *
     * @return \Generator<int, Page<T>>
     */
    public function pages(): \Generator
    {
        $page = ($this->read)(null);
        [$mark, $asked, $seen, $untilNextMark] = [null, null, 0, 1];
        while (true) {
            yield $page;
            $cursor = $page->nextCursor;
            // A list to poll ends, for now, where its cursor stays the same.
            if ($cursor === null || ($cursor === $asked && $page->data === [])) {
                return;
            }
            // Remembers one cursor, and replaces it after twice as many pages as before (Brent).
            if ($cursor === $mark) {
                throw new SuretyError("The list is circular: a page's cursor leads back to an earlier page.");
            }
            if (++$seen === $untilNextMark) {
                [$mark, $seen, $untilNextMark] = [$cursor, 0, $untilNextMark * 2];
            }
            $asked = $cursor;
            $page = ($this->read)($cursor);
        }
    }

    /** @return Page<T> */
    public function firstPage(): Page
    {
        return ($this->read)(null);
    }

    /**
     * The first records, at most this many: a list may be longer than memory.
     *
     * @return list<T>
     */
    public function take(int $most): array
    {
        $taken = [];
        if ($most > 0) {
            foreach ($this as $record) {
                $taken[] = $record;
                if (count($taken) >= $most) {
                    break;
                }
            }
        }
        return $taken;
    }
}
