<?php

declare(strict_types=1);

namespace Surety\Tests;

use Surety\Amount;
use Surety\BadRequest;
use Surety\CallOptions;
use Surety\Client;
use Surety\Code;
use Surety\Conflict;
use Surety\ConnectionFailed;
use Surety\Forbidden;
use Surety\Internal\Failure;
use Surety\Internal\Http;
use Surety\Internal\NoAnswer;
use Surety\Internal\Request;
use Surety\Internal\Response;
use Surety\Internal\RetryPolicy;
use Surety\Internal\Route;
use Surety\Internal\Runtime;
use Surety\NotFound;
use Surety\Retry;
use Surety\ServerFailure;
use Surety\Setting;
use Surety\StillPending;
use Surety\SuretyError;
use Surety\TimedOut;
use Surety\Unauthorized;
use Surety\UnexpectedAnswer;
use Surety\UsageError;

final class ClientTest extends TestCase
{
    private const KEY = 'sk_test_abcdefghijklmnop';
    private const REFUND = [
        'merchantId' => 'merchant_1',
        'refundId' => 'refund_1',
        'transactionId' => 'payment_1',
        'amount' => 1000.5,
        'currency' => 'NGN',
        'status' => 'COMPLETED',
        'items' => [['amount' => 1000.5, 'currency' => 'NGN']],
        'newer' => 1,
    ];

    /** @var list<Request> */
    private array $requests = [];
    /** @var list<float> */
    private array $waits = [];
    /** @var list<Retry> */
    private array $retried = [];

    /** A client whose transport gives these outcomes, in order, without real waits. */
    private function client(Response|NoAnswer ...$outcomes): Client
    {
        [$this->requests, $this->waits, $this->retried] = [[], [], []];
        $time = 0.0;
        return new Client(self::KEY, 'https://pay.example/v1', onRetry: function (Retry $retry): void {
            $this->retried[] = $retry;
        }, runtime: new Runtime(
            transport: function (Request $request) use (&$outcomes): Response {
                $this->requests[] = $request;
                $outcome = array_shift($outcomes) ?? throw new \LogicException('one request too many');
                return $outcome instanceof NoAnswer ? throw $outcome : $outcome;
            },
            elapsed: static function () use (&$time): float {
                return $time;
            },
            sleep: function (float $seconds) use (&$time): void {
                $this->waits[] = $seconds;
                $time += $seconds;
            },
            random: static fn (): float => 0.5,
        ));
    }

    /** @param array<string, string> $headers */
    private static function answer(int $status, mixed $body, array $headers = []): Response
    {
        $type = $status < 400 ? 'application/json' : 'application/problem+json';
        $text = (string) json_encode($body);
        return new Response($status, ['content-type' => $type, 'x-request-id' => 'req_1'] + $headers, $text);
    }

    /** @param array<string, mixed> $more */
    private static function problem(int $status, string $code, array $more = [], ?string $retryAfter = null): Response
    {
        $texts = ['type' => 't', 'title' => 'A title', 'detail' => 'A detail.', 'instance' => '/', 'requestId' => 'r'];
        $problem = $texts + ['status' => $status, 'code' => $code] + $more;
        return self::answer($status, $problem, $retryAfter === null ? [] : ['retry-after' => $retryAfter]);
    }

    public function testRetryVectors(): void
    {
        $routes = [
            'read' => new Route('GET', '/v1/refunds', false),
            'keyed' => new Route('POST', '/v1/refunds', true),
            'bare' => new Route('POST', '/v1/test-helpers/consumers', false),
        ];
        foreach (self::vectors('sdks/vectors/client.generated.json')['retries'] as $vector) {
            $given = $vector['failure'];
            $failure = new Failure(
                $given['kind'],
                $given['status'] ?? 0,
                $given['code'] ?? 'a_code',
                isset($given['retryAfterMillis']) ? $given['retryAfterMillis'] / 1000 : null,
                $given['garbled'] ?? false,
                $given['notSent'] ?? false,
                $given['deadline'] ?? false,
                $given['faults'] ?? false,
            );
            $route = $routes[$vector['route']];
            $delays = array_map(static fn (int $attempts): array => array_map(
                static function (int $random) use ($failure, $route, $attempts): ?int {
                    $delay = RetryPolicy::delay($failure, $route, $attempts, $random);
                    return $delay === null ? null : (int) round($delay * 1000);
                },
                [0, 1]
            ), [1, 2, 6]);
            $of = (string) json_encode($vector);
            self::same($vector['delays'], $delays, $of);
            self::same($vector['mayHaveTakenEffect'], RetryPolicy::mayHaveTakenEffect($failure, $route), $of);
            self::same($vector['settlesTheOutcome'], RetryPolicy::settlesTheOutcome($failure, $route), $of);
        }
    }

    public function testVectorsOfInputs(): void
    {
        $vectors = self::vectors('sdks/vectors/client.generated.json');
        foreach ($vectors['retryAfter'] as $vector) {
            $read = RetryPolicy::readRetryAfter($vector['header'], $vector['nowMillis'] / 1000);
            self::same($vector['millis'], $read === null ? null : (int) ($read * 1000), $vector['header']);
        }
        foreach ($vectors['amounts'] as $vector) {
            self::same($vector['number'], self::orNull(fn () => Amount::number($vector['decimal'])), $vector['decimal']);
        }
        foreach ($vectors['minors'] as $vector) {
            self::same($vector['number'], Amount::ofMinor($vector['minor'], $vector['decimals']));
            self::same($vector['minor'], Amount::toMinor($vector['number'], $vector['decimals']));
        }
        foreach ($vectors['baseUrls'] as $vector) {
            self::same($vector['base'], self::orNull(fn () => Setting::baseUrl($vector['given'])), $vector['given']);
        }
        foreach ($vectors['idempotencyKeys'] as $vector) {
            self::same($vector['valid'], self::orNull(fn () => Setting::idempotencyKey($vector['key'])) !== null);
        }
        foreach ($vectors['apiKeys'] as $vector) {
            self::same($vector['valid'], self::orNull(fn () => Setting::apiKey($vector['key'])) !== null, $vector['key']);
        }
        foreach ($vectors['segments'] as $vector) {
            $client = $this->client(self::answer(200, self::REFUND));
            self::orNull(fn () => $client->refunds->get($vector['id']));
            $expected = $vector['segment'] === null ? [] : ['https://pay.example/v1/refunds/' . $vector['segment']];
            self::same($expected, array_column($this->requests, 'url'), $vector['id']);
        }
    }

    public function testARefundIsSentAndReadWithoutFloats(): void
    {
        $before = [ini_set('precision', '3'), ini_set('serialize_precision', '17')];
        $client = $this->client(self::answer(201, ['amount' => 0.0] + self::REFUND), self::answer(201, self::REFUND));
        $client->refunds->create(transactionId: 'payment_1', amount: '0.10');
        self::same('{"transaction_id":"payment_1","amount":0.1}', $this->requests[0]->body);
        ini_set('precision', (string) $before[0]);
        ini_set('serialize_precision', (string) $before[1]);
        $refund = $client->refunds->create(
            transactionId: 'payment_1',
            amount: '1000.50',
            items: [['amount' => '1000.50']],
            idempotencyKey: 'k 1',
        );
        $request = $this->requests[1];
        self::same('POST https://pay.example/v1/refunds', "$request->method $request->url");
        self::same('{"transaction_id":"payment_1","amount":1000.5,"items":[{"amount":1000.5}]}', $request->body);
        self::same(['Bearer ' . self::KEY, 'k 1'], [$request->headers['Authorization'], $request->headers['Idempotency-Key']]);
        self::same(['1000.5', '1000.5', null], [$refund->amount, $refund->items[0]->amount, $refund->reference]);
        self::same([201, 'req_1', 1], [$refund->reply->status, $refund->reply->requestId, $refund->reply->attempts]);
        self::same(1, $refund->raw['newer']);
    }

    public function testAnAmountByMistakeIsRefusedBeforeAnythingIsSent(): void
    {
        foreach ([1000, 1000.5, '', 'abc', '-1', INF] as $wrong) {
            $client = $this->client();
            self::throws(UsageError::class, fn () => $client->refunds->create(transactionId: 'payment_1', amount: $wrong));
        }
        self::throws(\TypeError::class, fn () => $this->client()->refunds->create(transactionId: 'payment_1', amount: null));
        self::throws(\TypeError::class, fn () => $this->client()->refunds->create(transactionId: 'payment_1', items: null));
    }

    public function testABoundThatWasLostIsRefusedBeforeAnythingIsSent(): void
    {
        self::throws(\TypeError::class, fn () => $this->client()->identity->read('SR1', fields: null));
        self::throws(UsageError::class, fn () => $this->client()->identity->read('SR1', fields: []));
        self::throws(\TypeError::class, fn () => $this->client()->events->resend('event_1', endpointId: null));
        self::throws(\TypeError::class, fn () => $this->client()->testHelpers->approveDataRequest('datareq_1', fields: null));
        self::throws(\TypeError::class, fn () => $this->client()->dataRequests->create('SR1', ['email'], duration: null));
    }

    public function testACommandWithoutAFieldIsSentAsAnEmptyObject(): void
    {
        $this->client(self::answer(201, self::REFUND))->refunds->create();
        self::same('{}', $this->requests[0]->body);
    }

    public function testAnEmptyIdempotencyKeyIsRefusedNotReplaced(): void
    {
        $create = fn () => $this->client()->refunds->create(transactionId: 'payment_1', idempotencyKey: '');
        self::throws(UsageError::class, $create);
    }

    public function testRetriesReuseKeyAndBytes(): void
    {
        $client = $this->client(
            self::problem(503, 'unavailable', retryAfter: '2'),
            new NoAnswer('reset'),
            self::answer(201, self::REFUND)
        );
        $refund = $client->refunds->create(transactionId: 'payment_1');
        $keys = array_map(static fn (Request $request): string => $request->headers['Idempotency-Key'], $this->requests);
        self::same([1, 1], [count(array_unique($keys)), count(array_unique(array_column($this->requests, 'body')))]);
        self::same([[2.25, 0.5], 3], [$this->waits, $refund->reply->attempts]);
        self::ok($this->retried[1]->error->mayHaveTakenEffect);
    }

    public function testALostResponseLeavesTheOutcomeOpenUntilARejectionSettlesIt(): void
    {
        $late = new NoAnswer('', timedOut: true);
        $client = $this->client($late, $late, $late, $late);
        $lost = self::throws(
            TimedOut::class,
            fn () => $client->refunds->create(transactionId: 'payment_1', idempotencyKey: 'mine')
        );
        self::same([true, 'mine', 4], [$lost->mayHaveTakenEffect, $lost->idempotencyKey, $lost->attempts]);
        $client = $this->client($late, self::problem(400, Code::PAYMENT_NOT_SETTLED));
        $settled = self::throws(BadRequest::class, fn () => $client->refunds->create(transactionId: 'payment_1'));
        self::ok(!$settled->mayHaveTakenEffect);
    }

    public function testWhatHasNoKeyIsRepeatedOnlyIfItWasNotSent(): void
    {
        $client = $this->client(new NoAnswer('reset'));
        $lost = self::throws(ConnectionFailed::class, fn () => $client->testHelpers->createConsumer());
        self::same([true, 1, false], [$lost->mayHaveTakenEffect, $lost->attempts, $this->requests[0]->isRepeatable]);
        $client = $this->client(...array_fill(0, 4, new NoAnswer('refused', notSent: true)));
        $never = self::throws(ConnectionFailed::class, fn () => $client->testHelpers->createConsumer());
        self::same([false, 4], [$never->mayHaveTakenEffect, $never->attempts]);
    }

    public function testProblemsHaveCodeMembersAndFaults(): void
    {
        $fault = ['pointer' => '#/amount', 'detail' => 'Too much', 'code' => 'too_much'];
        $answer = self::problem(400, 'amount_exceeds_refundable', ['refundable' => 10.5, 'errors' => [$fault]]);
        $client = $this->client($answer);
        $error = self::throws(
            BadRequest::class,
            fn () => $client->refunds->create(transactionId: 'payment_1', amount: '11')
        );
        self::same([Code::AMOUNT_EXCEEDS_REFUNDABLE, '10.5'], [$error->problemCode, $error->problem->refundable]);
        self::same('#/amount', $error->errors[0]->pointer);
        $classes = [401 => Unauthorized::class, 403 => Forbidden::class, 404 => NotFound::class, 409 => Conflict::class];
        foreach ($classes + [422 => BadRequest::class] as $status => $class) {
            self::throws($class, fn () => $this->client(self::problem($status, 'a_code_of_tomorrow'))->account->whoami());
        }
    }

    public function testAnswersThatAreNotTheServices(): void
    {
        $json = ['content-type' => 'application/json'];
        $others = [
            new Response(200, ['content-type' => 'text/html'], '<html>'),
            new Response(302, ['location' => 'https://evil.example'], ''),
            self::answer(404, ['a' => 1]),
            self::answer(400, []),
        ];
        foreach ($others as $other) {
            self::throws(UnexpectedAnswer::class, fn () => $this->client($other)->refunds->get('refund_1'));
        }
        $busy = new Response(503, ['content-type' => 'text/html', 'retry-after' => '70'], '<html>');
        $refused = self::throws(UnexpectedAnswer::class, fn () => $this->client($busy)->refunds->get('refund_1'));
        self::same([503, 70.0], [$refused->status, $refused->retryAfter]);
        foreach ([new Response(201, $json, '{"refundId":'), self::answer(201, []), new Response(201, $json, null)] as $cut) {
            $client = $this->client($cut, $cut, $cut, $cut);
            $error = self::throws(UnexpectedAnswer::class, fn () => $client->refunds->create(transactionId: 'payment_1'));
            self::same([true, 4], [$error->mayHaveTakenEffect, $error->attempts]);
        }
    }

    public function testListsWalkTheirPages(): void
    {
        $page = static fn (?string $cursor, string ...$ids): Response => self::answer(200, [
            'data' => array_map(static fn (string $id): array => ['refundId' => $id] + self::REFUND, $ids),
        ] + ($cursor === null ? [] : ['nextCursor' => $cursor]));
        $client = $this->client($page('a', '1', '2'), $page('b'), $page(null, '3'), $page('a', '1', '2'));
        $refunds = $client->refunds->list(transactionId: 'payment_1', limit: 2);
        $ids = array_map(static fn ($refund): string => $refund->refundId, iterator_to_array($refunds));
        self::same(['1', '2', '3'], $ids);
        $query = [];
        parse_str((string) parse_url($this->requests[1]->url, PHP_URL_QUERY), $query);
        ksort($query);
        self::same(['cursor' => 'a', 'limit' => '2', 'transaction_id' => 'payment_1'], $query);
        self::same(1, count($refunds->take(1)));
        $round = $this->client(...array_merge(...array_fill(0, 4, [$page('a', '1'), $page('b', '2')])));
        self::throws(SuretyError::class, fn () => iterator_to_array($round->refunds->list()));
        // A list to poll keeps its cursor at its end.
        $polled = $this->client($page('a', '1'), $page('b', '2'), $page('b'));
        self::same(2, count(iterator_to_array($polled->refunds->list())));
    }

    public function testListsInAQueryHaveCommas(): void
    {
        $client = $this->client(new Response(
            200,
            ['content-type' => 'application/json'],
            '{"serviceId":"SR1","fields":{"email":null},"notApproved":{"country":"pending"}}'
        ));
        $identity = $client->identity->read(serviceId: 'SR1', fields: ['display_name', 'email']);
        self::ok(str_ends_with($this->requests[0]->url, '?service_id=SR1&fields=display_name%2Cemail'));
        self::same([['email' => null], ['country' => 'pending']], [$identity->fields, $identity->notApproved]);
    }

    public function testTheDeadlineEndsACall(): void
    {
        $client = $this->client(...array_fill(0, 9, self::problem(503, 'unavailable', retryAfter: '40')));
        $options = new CallOptions(deadline: 100, maxRetries: 9);
        self::throws(ServerFailure::class, fn () => $client->account->whoami(options: $options));
        self::same(3, count($this->requests));
        foreach ([new CallOptions(timeout: NAN), new CallOptions(deadline: 0), new CallOptions(maxRetries: 21)] as $wrong) {
            self::throws(UsageError::class, fn () => $this->client()->account->whoami($wrong));
        }
    }

    public function testWaitUntilSettled(): void
    {
        $pending = self::answer(200, ['status' => 'PENDING'] + self::REFUND);
        $client = $this->client($pending, $pending, self::answer(200, self::REFUND), $pending);
        $waits = [];
        $read = static fn () => $client->refunds->get('refund_1');
        $refund = Client::waitUntilSettled($read, sleep: static function (float $seconds) use (&$waits): void {
            $waits[] = $seconds;
        });
        self::same(['COMPLETED', [1.0, 1.5]], [$refund->status, $waits]);
        self::throws(StillPending::class, fn () => Client::waitUntilSettled($read, timeout: 0));
    }

    public function testNothingShowsTheKey(): void
    {
        $client = $this->client(new NoAnswer('proxy said ' . self::KEY));
        $options = new CallOptions(maxRetries: 0);
        $error = self::throws(ConnectionFailed::class, fn () => $client->refunds->get('refund_1', $options));
        $wrong = self::throws(UsageError::class, fn () => new Client(self::KEY . "\n", 'https://pay.example'));
        // As an application has it: the client of this test holds its requests.
        $own = new Client(self::KEY, 'https://pay.example');
        ob_start();
        var_dump($own);
        print_r($own);
        echo json_encode($own), print_r((array) $own, true), $error, $wrong;
        self::ok(!str_contains((string) ob_get_clean(), self::KEY));
        self::throws(\Throwable::class, fn () => serialize($own));
    }

    public function testTheRealTransport(): void
    {
        $request = static fn (string $url, float $timeout = 10.0): Request =>
            new Request('POST', $url, ['Authorization' => 'Bearer x'], '{}', $timeout, false);
        foreach (['http://127.0.0.1:1/', 'http://nothing.invalid/'] as $url) {
            self::ok(self::throws(NoAnswer::class, fn () => (new Http())($request($url)))->notSent);
        }
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $url = 'http://' . stream_socket_get_name($server, false) . '/';
        // The connection is made, and the request sent, but nothing accepts it.
        $late = self::throws(NoAnswer::class, fn () => (new Http())($request($url, 0.2)));
        self::same([true, false], [$late->timedOut, $late->notSent]);
    }
}
