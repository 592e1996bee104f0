<?php

declare(strict_types=1);

namespace Surety\Tests;

use Surety\Claim;
use Surety\DedupeStore;
use Surety\Event;
use Surety\MemoryStore;
use Surety\Model\RefundCompleted;
use Surety\Receiver;
use Surety\Signer;
use Surety\WebhookRefused;
use Surety\Webhooks;

final class WebhooksTest extends TestCase
{
    private const REFUND = '{"merchantId":"merchant_1","refundId":"refund_1","transactionId":"payment_1","amount":2500.5,'
        . '"currency":"NGN","status":"COMPLETED","completedAt":"2026-11-20T10:15:30.250Z"}';

    private string $secret;
    /** @var array<string, string> */
    private array $headers;
    private string $body;
    /** @var list<Event> */
    private array $seen = [];

    public function __construct()
    {
        $this->secret = Signer::newSecret();
        [$this->headers, $this->body] = Signer::sign($this->secret, 'refund.completed', self::REFUND);
    }

    public function testEveryVector(): void
    {
        $vectors = self::vectors('sdks/vectors/deliveries.generated.json')['vectors'];
        self::ok(count($vectors) > 100);
        foreach ($vectors as $vector) {
            $expected = $vector['reason'] ?? $vector['event'];
            if (is_array($expected)) {
                ksort($expected);
            }
            self::same($expected, self::outcome($vector), $vector['name']);
        }
    }

    /** @param array<string, mixed> $vector */
    private static function outcome(array $vector): mixed
    {
        $body = $vector['body'];
        if (is_array($body)) {
            $body = isset($body['base64'])
                ? base64_decode($body['base64'])
                : $body['before'] . str_repeat($body['repeat'], $body['times']) . $body['after'];
        }
        $headers = [];
        foreach ($vector['headers'] as [$name, $value]) {
            $headers[$name][] = $value;
        }
        try {
            $tolerance = $vector['toleranceSeconds'] ?? 300;
            $event = Webhooks::verify($body, $headers, $vector['secrets'], $tolerance, $vector['now']);
        } catch (WebhookRefused $refused) {
            return $refused->reason;
        }
        $found = [
            'id' => $event->id,
            'topic' => $event->topic,
            'known' => $event->isKnown(),
            'environment' => $event->environment,
            'test' => $event->test,
            'attempt' => $event->attempt,
            'timestamp' => $event->timestamp->getTimestamp(),
        ];
        if (isset($vector['event']['refundId'])) {
            $found['refundId'] = $event->payload->refundId;
        }
        if (isset($vector['event']['amount'])) {
            $found['amount'] = $event->payload->amount;
        }
        ksort($found);
        return $found;
    }

    public function testKnownSignatures(): void
    {
        foreach (self::vectors('packages/testing/src/vectors/webhook-signatures.json')['vectors'] as $vector) {
            [$headers, $body] = Signer::sign(
                $vector['secrets'],
                $vector['topic'],
                $vector['body'],
                $vector['id'],
                $vector['timestamp']
            );
            self::same($vector['webhookSignature'], $headers['webhook-signature'], $vector['name']);
            self::same($vector['serviceSignature'], $headers['X-Service-Signature'], $vector['name']);
            self::same('1', $headers['X-Service-Event-Version'], $vector['name']);
            $sequence = '00000001' . str_pad(dechex($vector['timestamp'] * 1000), 16, '0', STR_PAD_LEFT) . str_repeat('0', 32);
            self::same($sequence, $headers['X-Service-Sequence'], $vector['name']);
            foreach ($vector['secrets'] as $secret) {
                Webhooks::verifySignature($body, $headers, $secret, now: $vector['timestamp']);
            }
            Webhooks::verifyServiceSignature($body, $headers, $vector['secrets'][array_key_last($vector['secrets'])]);
            self::throws(
                WebhookRefused::class,
                fn () => Webhooks::verifyServiceSignature("$body ", $headers, $vector['secrets'])
            );
        }
    }

    public function testTypedEventByTheOwnClock(): void
    {
        $event = Webhooks::verify($this->body, $this->headers, $this->secret);
        self::ok($event->payload instanceof RefundCompleted);
        self::same('2500.5', $event->payload->amount);
        self::same('NGN', $event->raw->currency);
    }

    public function testFaultsOfTheOwnSide(): void
    {
        foreach ([null, ''] as $body) {
            $refused = self::throws(WebhookRefused::class, fn () => Webhooks::verify($body, $this->headers, $this->secret));
            self::same(['body_not_raw', true], [$refused->reason, $refused->isOwnFault()]);
        }
        foreach ([null, '', [], [null], [7]] as $secrets) {
            $refused = self::throws(WebhookRefused::class, fn () => Webhooks::verify($this->body, $this->headers, $secrets));
            self::same('invalid_secret', $refused->reason);
        }
    }

    public function testAPayloadWithoutAFieldOfItsTopicIsRefused(): void
    {
        foreach (['{}', '{"refundId":"refund_1"}', '{"refundId":7}'] as $payload) {
            [$headers, $body] = Signer::sign($this->secret, 'refund.completed', $payload);
            $refused = self::throws(WebhookRefused::class, fn () => Webhooks::verify($body, $headers, $this->secret));
            self::same('invalid_json', $refused->reason);
        }
    }

    public function testAToleranceThatIsNoNumberRejects(): void
    {
        self::throws(WebhookRefused::class, fn () => Webhooks::verify($this->body, $this->headers, $this->secret, NAN));
    }

    public function testPrecisionSettingsDoNotRound(): void
    {
        $before = [ini_set('precision', '3'), ini_set('serialize_precision', '17')];
        $event = Webhooks::verify($this->body, $this->headers, $this->secret);
        ini_set('precision', (string) $before[0]);
        ini_set('serialize_precision', (string) $before[1]);
        self::same('2500.5', $event->payload->amount);
    }

    private function receiver(mixed ...$options): Receiver
    {
        return new Receiver($this->secret, function (Event $event): void {
            $this->seen[] = $event;
        }, ...['store' => new MemoryStore(), ...$options]);
    }

    public function testWorkRunsOncePerEvent(): void
    {
        $receiver = $this->receiver();
        $outcomes = array_map(fn () => $receiver->receive($this->headers, $this->body)->outcome, [1, 2, 3]);
        self::same(['processed', 'duplicate', 'duplicate'], $outcomes);
        self::same(1, count($this->seen));
    }

    public function testFailedWorkRunsAgain(): void
    {
        $errors = [];
        $receiver = new Receiver($this->secret, function (Event $event): void {
            $this->seen[] = $event;
            if (count($this->seen) === 1) {
                throw new \RuntimeException('the database is down');
            }
        }, new MemoryStore(), onError: function (\Throwable $error) use (&$errors): void {
            $errors[] = $error;
        });
        $statuses = array_map(fn () => $receiver->receive($this->headers, $this->body)->status, [1, 2, 3]);
        self::same([[500, 200, 200], 2, 1], [$statuses, count($this->seen), count($errors)]);
    }

    public function testRunningWorkIsNotStartedTwice(): void
    {
        $store = new MemoryStore();
        $store->claim($this->headers['webhook-id']);
        $answer = $this->receiver(store: $store)->receive($this->headers, $this->body);
        self::same(['running', 503, '5'], [$answer->outcome, $answer->status, $answer->headers['retry-after']]);
        self::same([], $this->seen);
    }

    public function testRejections(): void
    {
        $reasons = [];
        $receiver = $this->receiver(onRefused: function (WebhookRefused $refused) use (&$reasons): void {
            $reasons[] = $refused->reason;
        });
        self::same(400, $receiver->receive($this->headers, "$this->body ")->status);
        self::same(500, $receiver->receive($this->headers, '')->status);
        self::same(['signature_mismatch', 'body_not_raw'], $reasons);
        $broken = new class implements DedupeStore {
            public function claim(string $eventId): Claim
            {
                throw new \RuntimeException('down');
            }
        };
        $receiver = $this->receiver(store: $broken, onError: static fn () => null);
        self::same(503, $receiver->receive($this->headers, $this->body)->status);
        self::same([], $this->seen);
    }

    public function testABodyIsReadNoFurtherThanItsBound(): void
    {
        $stream = fopen('php://memory', 'w+b');
        fwrite($stream, str_repeat('x', 10_000));
        rewind($stream);
        self::same(413, $this->receiver(maxBodyBytes: 1000)->receive($this->headers, $stream)->status);
        self::same(1001, ftell($stream));
        self::same(413, $this->receiver(maxBodyBytes: 1000)->receive($this->headers, str_repeat('x', 1001))->status);
    }

    public function testClaimsEndAndAreNotReleasedByTheirPredecessor(): void
    {
        $now = 0.0;
        $store = new MemoryStore(now: function () use (&$now): float {
            return $now;
        });
        $first = $store->claim('1');
        self::same(['claimed', 'running'], [$first->state, $store->claim('1')->state]);
        $now = 300.0;
        $second = $store->claim('1');
        $first->release();
        self::same(['claimed', 'running'], [$second->state, $store->claim('1')->state]);
        $second->complete();
        self::same('completed', $store->claim('1')->state);
        $now = 300.0 + 864_000 - 1; // ten days, beyond the last attempt that a Retry-After can delay
        self::same('completed', $store->claim('1')->state);
        $now += 1;
        self::same('claimed', $store->claim('1')->state);
    }

    public function testTheMemoryIsBounded(): void
    {
        $store = new MemoryStore(maxEvents: 2);
        $claims = [$store->claim('a'), $store->claim('b')];
        self::same('running', $store->claim('c')->state);
        array_map(static fn (Claim $claim) => $claim->complete(), $claims);
        $store->claim('c')->complete();
        self::same(['completed', 'completed', 'claimed'], array_map(
            static fn (string $id): string => $store->claim($id)->state,
            ['b', 'c', 'a']
        ));
    }

    public function testNothingPrintsTheSecret(): void
    {
        $receiver = new Receiver($this->secret, static fn () => null, new MemoryStore());
        ob_start();
        var_dump($receiver);
        print_r($receiver);
        echo var_export($receiver, true), print_r((array) $receiver, true);
        self::ok(!str_contains((string) ob_get_clean(), $this->secret));
        foreach (["$this->body ", $this->body] as $body) {
            $refused = self::throws(WebhookRefused::class, fn () => Webhooks::verify($body, $this->headers, "$this->secret "));
            self::ok(!str_contains((string) $refused, $this->secret));
        }
    }
}
