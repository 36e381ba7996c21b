<?php

// Answers requests, one a line: what vectors, random messages and a shop's life ask of an SDK.

declare(strict_types=1);

use Hundi\Buyer;
use Hundi\Callbacks;
use Hundi\Calls;
use Hundi\CaptureRequest;
use Hundi\Client;
use Hundi\Credentials;
use Hundi\Envelope;
use Hundi\Expected;
use Hundi\Gateway;
use Hundi\GenerateOrderRequest;
use Hundi\HundiException;
use Hundi\Json;
use Hundi\JsonObject;
use Hundi\Kind;
use Hundi\LinkName;
use Hundi\Money;
use Hundi\NewPaymentLink;
use Hundi\PaymentRequest;
use Hundi\Reader;
use Hundi\RefundItem;
use Hundi\Signature;
use Hundi\SplitPart;
use Hundi\SplitRequest;
use Hundi\Transaction;
use Hundi\Unreadable;

require __DIR__ . '/autoload.php';

final class Peer
{
    private static ?Client $client = null;

    public function __construct(private readonly JsonObject $given)
    {
    }

    public function answer(string $do): JsonObject
    {
        try {
            return self::of(['gives' => $this->{$do}()]);
        } catch (Unreadable) {
            return self::of(['refused' => self::of(['kind' => 'unreadable'])]);
        } catch (HundiException $error) {
            return self::of(['refused' => self::refused($error)]);
        }
    }

    private static function refused(HundiException $error): JsonObject
    {
        $told = ['kind' => $error->kind->value];
        if ($error->kind !== Kind::InvalidRequest) {
            $told += ['code' => $error->responseCode, 'retry' => $error->retry->value];
        }
        if ($error->field !== '') {
            $told += ['field' => $error->field, 'received' => $error->received, 'allowed' => $error->allowed];
        }
        return self::of($told);
    }

    /** @param array<string, mixed> $pairs */
    private static function of(array $pairs): JsonObject
    {
        $found = new JsonObject();
        foreach ($pairs as $name => $value) {
            $found->set((string) $name, self::canonical($value));
        }
        return $found;
    }

    private static function canonical(mixed $value): mixed
    {
        return match (true) {
            $value === null => '',
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value) => (string) $value,
            is_array($value) => self::of($value),
            $value instanceof DateTimeInterface => (string) $value->getTimestamp(),
            default => $value,
        };
    }

    /** @return array<string, mixed> */
    private static function summary(Transaction $t): array
    {
        return [
            'transaction_id' => $t->transactionId, 'order_id' => $t->orderId, 'merchant_id' => $t->merchantId,
            'amount_paise' => $t->amountPaise, 'status_code' => $t->statusCode, 'channel' => $t->channel,
            'customer_name' => $t->customerName, 'message' => $t->message, 'custom_var' => $t->customVar,
            'rrn' => $t->rrn, 'refunded_paise' => $t->refundedPaise, 'created_at' => $t->createdAt,
            'at_risk' => $t->atRisk, 'is_paid' => $t->isPaid(), 'is_pending' => $t->isPending(),
            'is_failed' => $t->isFailed(), 'is_authorised' => $t->isAuthorised(), 'is_voided' => $t->isVoided(),
            'is_refund' => $t->isRefund(), 'is_final' => $t->isFinal(),
        ];
    }

    private function text(string $name): string
    {
        return $this->given->text($name);
    }

    private function number(string $name): int
    {
        return (int) $this->text($name);
    }

    /** @return list<string> */
    private function texts(string $name): array
    {
        return array_map(Json::textOf(...), $this->given->get($name));
    }

    /** @return array<string, string> */
    private function pairs(string $name): array
    {
        $object = $this->given->get($name);
        return array_combine($object->names, array_map($object->text(...), $object->names));
    }

    private function cipherKey(): string
    {
        return Envelope::key($this->text('username'), $this->text('password'));
    }

    private function credentials(): Credentials
    {
        $own = new self($this->given->get('credentials'));
        return new Credentials(
            $own->text('merchant_id'),
            $own->text('username'),
            $own->text('password'),
            $own->text('api_secret'),
            $own->text('oauth_client_id'),
            $own->text('oauth_client_secret'),
            $own->texts('webhook_keys'),
        );
    }

    private function callbacks(): Callbacks
    {
        return new Callbacks($this->credentials(), clock: fn (): float => (float) $this->number('now'));
    }

    private function expected(): Expected
    {
        return new Expected($this->text('order_id'), $this->number('amount_paise'), $this->text('currency') ?: 'INR');
    }

    private function readAs(string $kind): mixed
    {
        $method = lcfirst(str_replace('_', '', ucwords($kind, '_')));
        $found = Reader::ofList('field', $this->text('text'))->{$method}('field');
        return $kind === 'day' ? (string) $found?->format('Y-m-d') : self::canonical($found);
    }

    private function key(): string
    {
        return $this->cipherKey();
    }

    private function seal(): string
    {
        return Envelope::seal($this->cipherKey(), $this->text('text'), $this->text('iv'));
    }

    private function open(): string
    {
        return base64_encode(Envelope::open($this->cipherKey(), $this->text('encdata')));
    }

    private function open_json(): string
    {
        return Json::compact(Envelope::openJson($this->cipherKey(), $this->text('encdata')));
    }

    private function json(): string
    {
        return Json::compact(Json::parse(base64_decode($this->text('base64'))));
    }

    /** @return array<string, string> */
    private function checksum(): array
    {
        $fields = $this->given->get('fields');
        return ['v4' => Envelope::checksum($fields, $this->text('day')), ...Envelope::crc32Forms($fields)];
    }

    private function privatekey(): string
    {
        return Envelope::privatekey($this->text('secret'), $this->text('username'), $this->text('password'));
    }

    private function secure_hash(): string
    {
        return Envelope::secureHash($this->texts('values'), $this->text('payer_vpa'));
    }

    /** @return array<string, string> */
    private function envelope(): array
    {
        return Calls::sealed($this->credentials(), $this->given->get('fields'), $this->text('day'), $this->text('iv'));
    }

    private function signature(): string
    {
        $signature = new Signature($this->text('id'), $this->text('timestamp'), $this->text('signatures'), $this->text('content'));
        $at = $signature->signedAt($this->texts('keys'));
        Signature::checkAge($at, (float) $this->number('now'), $this->number('tolerance'));
        return (string) $at;
    }

    private function paise(): int
    {
        return Money::paise($this->text('text'));
    }

    private function amount_text(): string
    {
        return Money::text($this->number('paise'));
    }

    private function read(): mixed
    {
        return $this->readAs($this->text('kind'));
    }

    private function record_time(): mixed
    {
        return $this->readAs('record_time');
    }

    /** @return array<string, mixed> */
    private function return(): array
    {
        $told = $this->callbacks()->readReturn($this->pairs('form'), $this->expected());
        return ['webhook_id' => $told->webhookId, ...self::summary($told->transaction)];
    }

    /** @return array<string, mixed> */
    private function notification(): array
    {
        $told = $this->callbacks()->readNotification($this->pairs('headers'), base64_decode($this->text('body')));
        $about = ['webhook_id' => $told->webhookId, 'event' => $told->event, 'sent_at' => $told->sentAt];
        return [...$about, ...self::summary($told->transaction)];
    }

    private function reply(): string
    {
        return Json::compact(Calls::readReply($this->credentials(), base64_decode($this->text('body')), false));
    }

    private function speed(): string
    {
        $key = Envelope::key('demo-user', 'demo-pass');
        $text = str_repeat('x', 1024);
        $started = hrtime(true);
        for ($round = 0; $round < $this->number('rounds'); $round++) {
            Envelope::open($key, Envelope::seal($key, $text));
        }
        return sprintf('%.1f', (hrtime(true) - $started) / 1000 / $this->number('rounds'));
    }

    // A shop's life at a running gateway.

    private function connect(): string
    {
        $gateway = new Gateway($this->text('base_url'), $this->text('payment_page_url'), pausesS: [0.01, 0.01], timeoutS: 20.0);
        self::$client = new Client($this->credentials(), $gateway);
        return '';
    }

    /** @return array<string, mixed> */
    private function payment_form(): array
    {
        $buyer = new Buyer('asha@example.in', '+91 98765-43210', 'आशा', "O'Brien");
        $order = new PaymentRequest($this->text('order_id'), $this->number('amount_paise'), $buyer, txnsubtype: $this->text('txnsubtype'));
        $form = self::$client->paymentForm($order);
        return ['action' => $form->actionUrl, 'fields' => $form->fields, 'html' => $form->html()];
    }

    /** @return array<string, mixed> */
    private function verify(): array
    {
        return self::summary(self::$client->verify($this->expected()));
    }

    /** @return array<string, mixed> */
    private function refund(): array
    {
        $items = [new RefundItem($this->text('transaction_id'), amountPaise: $this->number('amount_paise'))];
        [$result] = self::$client->refund($items, $this->text('request_id'));
        return ['accepted' => $result->accepted, 'code' => $result->code, 'amount_paise' => $result->amountPaise];
    }

    /** @return array<string, mixed> */
    private function generate_qr(): array
    {
        $qr = self::$client->generateQr(new GenerateOrderRequest($this->text('order_id'), $this->number('amount_paise')));
        return ['text' => $qr->text, 'order_id' => $qr->orderId, 'png' => substr($qr->png, 1, 3)];
    }

    /** @return array<string, mixed> */
    private function validate_vpa(): array
    {
        $found = self::$client->validateVpa($this->text('address'));
        return ['address' => $found->address, 'is_registered' => $found->isRegistered];
    }

    /** @return array<string, mixed> */
    private function split(): array
    {
        $share = $this->number('share');
        $split = self::$client->split(new SplitRequest(
            $this->text('transaction_id'),
            $this->text('request_id'),
            'percentage',
            10000 - $share,
            [new SplitPart($this->text('identifier'), $share)],
            rrn: $this->text('rrn'),
        ));
        return ['status' => $split->status, 'primary_paise' => $split->primaryPaise];
    }

    /** @return array<string, mixed> */
    private function capture(): array
    {
        return self::summary(self::$client->capture(new CaptureRequest($this->text('transaction_id'))));
    }

    private function banks(): string
    {
        $channels = array_unique(array_map(static fn ($bank) => $bank->channel, self::$client->banks()));
        sort($channels);
        return implode(' ', $channels);
    }

    /** @return array<string, mixed> */
    private function create_link(): array
    {
        $link = self::$client->createLink(new NewPaymentLink($this->text('reference'), 5000, 'Tea'));
        $again = self::$client->link(new LinkName(reference: $this->text('reference')));
        return ['state' => $link->state, 'same' => $link->linkId === $again->linkId];
    }
}

while (($line = fgets(STDIN)) !== false) {
    $asked = Json::parse(rtrim($line, "\n"), Json::REPLY_VALUES_MAX);
    fwrite(STDOUT, Json::compact((new Peer($asked->get('with')))->answer($asked->text('do'))) . "\n");
}
