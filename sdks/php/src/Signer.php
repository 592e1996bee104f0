<?php

declare(strict_types=1);

namespace Surety;

/** Signed deliveries for tests of your receiver, without the service. */
final class Signer
{
    /** A secret in the format of a registered endpoint's. */
    public static function newSecret(): string
    {
        return 'whsec_' . base64_encode(random_bytes(32));
    }

    /**
     * Headers and body of a delivery as the service sends it. Pass the same `$id` again for a repeated one.
     * `$sequence` is by default of the event's time, so that later events sort behind earlier ones.
     *
     * @param string|list<string> $secrets
     * @return array{array<string, string>, string}
     */
    public static function sign(
        #[\SensitiveParameter] string|array $secrets,
        string $topic,
        string $body,
        ?string $id = null,
        ?int $timestamp = null,
        string $environment = 'TEST',
        int $attempt = 1,
        ?string $sequence = null,
    ): array {
        $id ??= 'event_0' . substr(str_replace(['i', 'l', 'o', 'u'], 'x', bin2hex(random_bytes(13))), 0, 25);
        $milliseconds = $timestamp === null ? (int) (microtime(true) * 1000) : $timestamp * 1000;
        $timestamp ??= intdiv($milliseconds, 1000);
        $sequence ??= sprintf('00000001%016x%032x', $milliseconds, 0);
        $names = (array) $secrets;
        $signatures = array_map(static function (string $secret) use ($id, $timestamp, $body): string {
            $key = Webhooks::decode($secret) ?? throw new UsageError('The secret does not have the form whsec_ and base64.');
            return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        }, $names);
        return [[
            'content-type' => 'application/json',
            'user-agent' => 'Service-Webhooks/1.0',
            'X-Service-Signature' => hash_hmac('sha256', $body, (string) end($names)),
            'X-Service-Event' => $topic,
            'X-Service-Event-Id' => $id,
            'X-Service-Event-Version' => '1',
            'X-Service-Sequence' => $sequence,
            'X-Service-Environment' => $environment,
            'X-Service-Delivery-Attempt' => (string) $attempt,
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $timestamp,
            'webhook-signature' => implode(' ', $signatures),
        ], $body];
    }
}
