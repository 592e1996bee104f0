<?php

declare(strict_types=1);

namespace Surety;

use Surety\Internal\Json;
use Surety\Internal\NotJson;
use Surety\Internal\Wire;
use Surety\Internal\WrongShape;

/**
 * Distinguishes a genuine webhook delivery from a forged, altered or replayed one.
 *
 * `$body` is the raw body: `file_get_contents('php://input')`, `$request->getContent()` in Symfony and Laravel,
 * `(string) $request->getBody()` in PSR-7. `$headers` are `getallheaders()`, `$request->headers->all()`, or
 * `$request->getHeaders()`.
 */
final class Webhooks
{
    /** `whsec_` and base64 with its padding, 24 to 64 bytes. */
    private const SECRET = '~\Awhsec_((?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\z~';

    /**
     * The event of a genuine, recent delivery. A delivery can arrive more than once: deduplicate by `$event->id`, or use
     * `Receiver`.
     *
     * @param array<string, string|list<string>> $headers
     * @param string|list<string>|null $secrets The secret as the registration showed it, or several during a rotation.
     * @throws WebhookRefused for everything else
     */
    public static function verify(
        ?string $body,
        array $headers,
        #[\SensitiveParameter] string|array|null $secrets,
        float $toleranceSeconds = 300,
        ?int $now = null,
    ): Event {
        $delivery = self::verifySignature($body, $headers, $secrets, $toleranceSeconds, $now);
        $fields = self::fields($headers);
        $topic = $fields['x-service-event'] ?? '';
        if ($topic === '') {
            throw new WebhookRefused('missing_headers', 'X-Service-Event, which names the topic, is missing.');
        }
        try {
            $raw = Json::parse($delivery->body);
        } catch (NotJson) {
            throw new WebhookRefused(
                'invalid_json',
                'The body is signed, but it is not JSON in UTF-8, or has deeper nesting or more values than any event.'
            );
        }
        $environment = $fields['x-service-environment'] ?? null;
        $attempt = $fields['x-service-delivery-attempt'] ?? '';
        return new Event(
            $delivery->id,
            $topic,
            self::payload($topic, $raw),
            $raw,
            $delivery->timestamp,
            in_array($environment, ['TEST', 'LIVE'], true) ? $environment : null,
            ($fields['x-service-test'] ?? '') === 'true',
            preg_match('/\A[1-9][0-9]{0,5}\z/', $attempt) === 1 ? (int) $attempt : null,
        );
    }

    /**
     * The first half of `verify`, for receivers that queue raw deliveries: checks signature, time and event id.
     *
     * @param array<string, string|list<string>> $headers
     * @param string|list<string>|null $secrets
     * @throws WebhookRefused
     */
    public static function verifySignature(
        ?string $body,
        array $headers,
        #[\SensitiveParameter] string|array|null $secrets,
        float $toleranceSeconds = 300,
        ?int $now = null,
    ): SignedDelivery {
        $keys = self::keys(
            $secrets,
            self::decode(...),
            'does not have the form whsec_ and base64: copy it completely, with the = at its end'
        );
        $content = self::raw($body);
        $fields = self::fields($headers);
        [$id, $timestamp] = [$fields['webhook-id'] ?? '', $fields['webhook-timestamp'] ?? ''];
        $signatures = $fields['webhook-signature'] ?? '';
        if ($id === '' || $timestamp === '' || $signatures === '') {
            throw new WebhookRefused(
                'missing_headers',
                'webhook-id, webhook-timestamp and webhook-signature are all required: without them, a replay cannot be '
                . 'detected. Does a proxy drop them?'
            );
        }
        if (preg_match('/\A[0-9]{1,12}\z/', $timestamp) !== 1) {
            throw new WebhookRefused('invalid_timestamp', 'webhook-timestamp is not a number of seconds since 1970.');
        }
        // The signature is checked before the time, so that only a genuine delivery is reported as too old or too new.
        $given = [];
        foreach (explode(' ', $signatures) as $signature) {
            if (str_starts_with($signature, 'v1,')) {
                $given[] = substr($signature, 3);
            }
        }
        if (!self::isSignedBy($keys, "$id.$timestamp.$content", $given, base64_encode(...))) {
            throw new WebhookRefused(
                'signature_mismatch',
                "No signature matches. Either the secret is another endpoint's, or the body is not byte for byte what was "
                . 'sent (parsed and written again, or decoded), or the delivery is forged.'
            );
        }
        $seconds = (int) $timestamp;
        self::checkTime($seconds, $now ?? time(), $toleranceSeconds);
        if (($fields['x-service-event-id'] ?? $id) !== $id) {
            throw new WebhookRefused('event_id_mismatch', 'X-Service-Event-Id is not the webhook-id that was signed.');
        }
        return new SignedDelivery($id, new \DateTimeImmutable("@$seconds"), $content);
    }

    /**
     * Checks `X-Service-Signature` alone: lower-case hex of HMAC-SHA256 over the body. Not safe against replays: the
     * signature covers neither id nor time nor topic. Use `verify` unless the sender has no other signature.
     *
     * @param array<string, string|list<string>> $headers
     * @param string|list<string>|null $secrets
     * @throws WebhookRefused
     */
    public static function verifyServiceSignature(
        ?string $body,
        array $headers,
        #[\SensitiveParameter] string|array|null $secrets,
    ): void {
        $encode = static fn (string $secret): ?string => trim($secret) === $secret ? $secret : null;
        $keys = self::keys($secrets, $encode, 'has white space around it: remove it');
        $content = self::raw($body);
        $signature = self::fields($headers)['x-service-signature'] ?? '';
        if ($signature === '') {
            throw new WebhookRefused('missing_headers', 'X-Service-Signature is missing.');
        }
        if (!self::isSignedBy($keys, $content, [$signature], bin2hex(...))) {
            throw new WebhookRefused(
                'signature_mismatch',
                "X-Service-Signature does not match: another endpoint's secret, an altered body, or a forged delivery."
            );
        }
    }

    /**
     * Fields by name in lower case; an empty one counts as missing. Repeated fields are joined by a space: each of several
     * signatures may be the right one, and any other repeated field no longer equals the signed value.
     *
     * @param array<string, string|list<string>> $headers
     * @return array<string, string>
     */
    private static function fields(array $headers): array
    {
        $fields = [];
        foreach ($headers as $name => $value) {
            $name = strtolower((string) $name);
            foreach (is_array($value) ? $value : [$value] as $text) {
                if (is_string($text)) {
                    $fields[$name] = isset($fields[$name]) ? "$fields[$name] $text" : $text;
                }
            }
        }
        return array_filter($fields, static fn (string $text): bool => $text !== '');
    }

    private static function raw(?string $body): string
    {
        if (($body ?? '') === '') {
            throw new WebhookRefused(
                'body_not_raw',
                "The body is missing or empty: other code has already read it. Pass the raw body: "
                . "file_get_contents('php://input'), or \$request->getContent() in Symfony and Laravel."
            );
        }
        return $body;
    }

    /** @internal */
    public static function decode(#[\SensitiveParameter] string $secret): ?string
    {
        return preg_match(self::SECRET, $secret, $match) === 1 ? base64_decode($match[1], true) : null;
    }

    /**
     * @param callable(string): ?string $read
     * @return list<string>
     */
    private static function keys(#[\SensitiveParameter] string|array|null $secrets, callable $read, string $otherForm): array
    {
        $given = is_array($secrets) ? array_values($secrets) : [$secrets];
        $keys = [];
        foreach ($given as $index => $secret) {
            $isGiven = is_string($secret) && $secret !== '';
            $key = $isGiven ? $read($secret) : null;
            if ($key === null) {
                $fault = $isGiven ? $otherForm : 'is missing: check that its setting is set';
                throw new WebhookRefused(
                    'invalid_secret',
                    'Webhook secret ' . ($index + 1) . ' of ' . count($given) . " $fault."
                );
            }
            $keys[] = $key;
        }
        return $keys === [] ? throw new WebhookRefused('invalid_secret', 'The list has no webhook secret.') : $keys;
    }

    /**
     * Whether one of the keys made one of the signatures. Tries every pair, so that the time does not reveal a match.
     * Encoded signatures are compared, never decoded ones: base64 has several forms for the same bytes.
     *
     * @param list<string> $keys
     * @param list<string> $given
     * @param callable(string): string $encode
     */
    private static function isSignedBy(
        #[\SensitiveParameter] array $keys,
        string $content,
        array $given,
        callable $encode,
    ): bool {
        $found = false;
        foreach ($keys as $key) {
            $expected = $encode(hash_hmac('sha256', $content, $key, true));
            foreach ($given as $signature) {
                $found = hash_equals($expected, $signature) || $found;
            }
        }
        return $found;
    }

    private static function checkTime(int $seconds, int $now, float $tolerance): void
    {
        $age = $now - $seconds;
        // Written so that a tolerance of NAN rejects.
        if (abs($age) <= $tolerance) {
            return;
        }
        if ($age > 0) {
            throw new WebhookRefused(
                'timestamp_too_old',
                "Signed $age s ago; $tolerance s are allowed. Is it a replay, or is a clock wrong?"
            );
        }
        throw new WebhookRefused(
            'timestamp_too_new',
            'Signed ' . -$age . " s ahead of this clock; $tolerance s are allowed. A clock is wrong."
        );
    }

    private static function payload(string $topic, mixed $raw): ?Record
    {
        if (!array_key_exists($topic, Topic::PAYLOADS)) {
            return null;
        }
        if (!$raw instanceof \stdClass) {
            throw new WebhookRefused('invalid_json', "The payload of $topic is a JSON object; this body is another value.");
        }
        $members = Wire::object($raw);
        $isMarked = array_filter(Topic::MARKS, static fn (array $mark): bool =>
            array_key_exists($mark[0], $members) && ($mark[1] === null || $members[$mark[0]] === $mark[1]));
        if ($isMarked !== [] && !isset($isMarked[$topic])) {
            throw new WebhookRefused(
                'topic_mismatch',
                "X-Service-Event says $topic, but the signed payload belongs to another topic."
            );
        }
        try {
            return (Topic::PAYLOADS[$topic])::of($members);
        } catch (WrongShape) {
            throw new WebhookRefused('invalid_json', "The body is signed, but it is not a payload of $topic.");
        }
    }
}
