<?php

declare(strict_types=1);

namespace Surety\Internal;

/** @internal */
final class Request
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        #[\SensitiveParameter] public readonly array $headers,
        public readonly ?string $body,
        /** Seconds for the whole exchange. */
        public readonly float $timeout,
        /** Whether a transport may send it again on its own, when a connection turns out to be closed. */
        public readonly bool $isRepeatable,
    ) {
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url];
    }
}

/** @internal */
final class Response
{
    /** @param array<string, string> $headers Names in lower case. */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        /** null for a body that is longer than any of the service's. */
        public readonly ?string $body,
    ) {
    }
}

/** @internal No response. */
final class NoAnswer extends \Exception
{
    public function __construct(
        string $said,
        public readonly bool $timedOut = false,
        /** Whether the request certainly never left. */
        public readonly bool $notSent = false,
    ) {
        parent::__construct($said);
    }
}

/**
 * Exchanges on one curl handle, which keeps its connection for the next call. Follows no redirect.
 *
 * @internal
 */
final class Http
{
    private const MAX_BODY_BYTES = 16 * 1024 * 1024;

    private ?\CurlHandle $handle = null;

    /** @throws NoAnswer */
    public function __invoke(Request $request): Response
    {
        $handle = $this->handle ??= curl_init();
        [$headers, $body, $tooLong] = [[], '', false];
        $lines = ['Expect:', ...($request->body === null ? ['Content-Type:'] : [])];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        curl_reset($handle);
        curl_setopt_array($handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_CONNECTTIMEOUT_MS => max(1, (int) ($request->timeout * 1000)),
            CURLOPT_TIMEOUT_MS => max(1, (int) ($request->timeout * 1000)),
            // curl itself sends a request again if a kept connection turns out to be closed.
            CURLOPT_FRESH_CONNECT => !$request->isRepeatable,
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$headers): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = [];
                } elseif (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $headers[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function (\CurlHandle $_, string $chunk) use (&$body, &$tooLong): int {
                $tooLong = strlen($body) + strlen($chunk) > self::MAX_BODY_BYTES;
                $body .= $tooLong ? '' : $chunk;
                return $tooLong ? 0 : strlen($chunk);
            },
        ]);
        if ($request->method === 'POST') {
            curl_setopt_array($handle, [CURLOPT_POST => true, CURLOPT_POSTFIELDS => $request->body ?? '']);
        }
        curl_exec($handle);
        $error = curl_errno($handle);
        if ($error !== 0 && !$tooLong) {
            $sent = (float) curl_getinfo($handle, CURLINFO_PRETRANSFER_TIME) > 0;
            throw new NoAnswer(curl_error($handle), $sent && $error === CURLE_OPERATION_TIMEDOUT, !$sent);
        }
        return new Response(curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $headers, $tooLong ? null : $body);
    }
}
