<?php

// The messages of the gateway. Written from the table of operations by `make sdks-written`: change the table, not this file.

declare(strict_types=1);

namespace Hundi;

/** A merchant's request for an access token. */
final class TokenRequest
{
    public function __construct(
        public readonly string $clientId,
        #[\SensitiveParameter] public readonly string $clientSecret,
        public readonly string $merchantId,
        public readonly string $scope = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->text('client_id', $this->clientId, Rule::Required, 20);
        $w->text('client_secret', $this->clientSecret, Rule::Secret, 200);
        $w->matching('merchant_id', $this->merchantId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->constant('grant_type', 'client_credentials');
        $w->oneOf('scope', $this->scope, Rule::Optional, ['', 'page', 'operations']);
    }
}

/** A transaction, by at least one of its references; all given ones must agree. */
final class VerifyRequest
{
    public function __construct(
        public readonly string $orderId = '',
        public readonly string $transactionId = '',
        public readonly string $rrn = '',
        public readonly string $refundId = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('orderid', $this->orderId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->matching('ap_transactionid', $this->transactionId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->text('rrn', $this->rrn, Rule::Optional, 35);
        $w->matching('refund_id', $this->refundId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->atLeastOne('orderid', 'ap_transactionid', 'rrn', 'refund_id');
    }
}

/** Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all. */
final class BanksRequest
{
    /**
     * @param list<string> $channels
     */
    public function __construct(
        public readonly array $channels = [],
    ) {
    }

    public function write(Writer $w): void
    {
        $w->channels('chmod', $this->channels);
        $w->shop('mer_dom');
    }
}

/** A UPI address to look up. */
final class ValidateVpaRequest
{
    public function __construct(
        public readonly string $address,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->vpa('vpa', $this->address, Rule::Required);
    }
}

/** An authorisation to capture; without an amount, all of it. */
final class CaptureRequest
{
    public function __construct(
        public readonly string $transactionId,
        public readonly ?int $amountPaise = null,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->amount('amount', $this->amountPaise, Rule::Optional);
    }
}

/** An authorisation to void. */
final class VoidRequest
{
    public function __construct(
        public readonly string $transactionId,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** The customer of a QR order, as far as the merchant describes them. */
final class QrBuyer
{
    public function __construct(
        public readonly string $email = '',
        public readonly string $phone = '',
        public readonly string $firstname = '',
        public readonly string $lastname = '',
        public readonly string $address = '',
        public readonly string $city = '',
        public readonly string $state = '',
        public readonly string $country = '',
        public readonly string $pincode = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->email('buyer_email', $this->email, Rule::Optional);
        $w->phone('buyer_phone', $this->phone, Rule::Optional);
        $w->text('buyer_firstname', $this->firstname, Rule::Optional, 100);
        $w->text('buyer_lastname', $this->lastname, Rule::Optional, 100);
        $w->text('buyer_address', $this->address, Rule::Optional, 255);
        $w->text('buyer_city', $this->city, Rule::Optional, 255);
        $w->text('buyer_state', $this->state, Rule::Optional, 255);
        $w->text('buyer_country', $this->country, Rule::Optional, 255);
        $w->text('buyer_pincode', $this->pincode, Rule::Optional, 16);
    }
}

/** The one bank account that may pay an order by UPI. */
final class PayerAccount
{
    public function __construct(
        #[\SensitiveParameter] public readonly string $number,
        public readonly string $ifsc,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('upi_tpv_account', $this->number, Rule::Secret, '~\\A[A-Za-z0-9]{6,18}\\z~', [], '6 to 18 letters and digits, the number of a bank account');
        $w->matching('upi_tpv_ifsc', $this->ifsc, Rule::Required, '~\\A[A-Za-z]{4}0[A-Za-z0-9]{6}\\z~', [], 'an IFSC: four letters, a zero, six letters or digits');
    }
}

/** The customer's approval of later debits, in paise. */
final class OrderMandate
{
    public function __construct(
        public readonly string $period,
        public readonly int $amountPaise,
        public readonly ?int $frequency = null,
        public readonly ?\DateTimeInterface $nextRun = null,
        public readonly ?int $maxAmountPaise = null,
        public readonly ?int $recurringCount = null,
        public readonly int $retryAttempts = 0,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->oneOf('sb_period', $this->period, Rule::Required, ['D', 'W', 'M', 'Y', 'A']);
        $w->amount('sb_amount', $this->amountPaise, Rule::Required);
        $w->constant('txnsubtype', '12');
        $w->count('sb_frequency', $this->frequency, Rule::Optional, 1, 366);
        $w->day('sb_nextrundate', $this->nextRun, Rule::Optional);
        $w->amount('sb_maxamount', $this->maxAmountPaise, Rule::Optional);
        $w->debits('sb_recurringcount', $this->recurringCount, Rule::Optional, 999, 'A');
        $w->countUnlessZero('sb_retryattempts', $this->retryAttempts, Rule::Optional, 0, 99);
        $w->constant('sb_isrecurring', '1');
    }
}

/** An order that is paid by one UPI QR. */
final class GenerateOrderRequest
{
    /**
     * @param list<string> $channels
     */
    public function __construct(
        public readonly string $orderId,
        public readonly int $amountPaise,
        public readonly string $currency = '',
        public readonly ?QrBuyer $buyer = null,
        public readonly array $channels = [],
        public readonly string $customvar = '',
        public readonly ?PayerAccount $payerAccount = null,
        public readonly string $txnsubtype = '',
        public readonly ?OrderMandate $subscription = null,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('orderid', $this->orderId, Rule::Required, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('amount', $this->amountPaise, Rule::Required);
        $w->currency('iso_currency', $this->currency);
        $this->buyer?->write($w);
        $w->channels('chmod', $this->channels);
        $w->text('customvar', $this->customvar, Rule::Optional, 4096);
        $w->shop('mer_dom');
        $this->payerAccount?->write($w);
        $w->oneOf('txnsubtype', $this->txnsubtype, Rule::Optional, ['2', '12']);
        $this->subscription?->write($w);
    }
}

/** The customer as the merchant describes them. */
final class Buyer
{
    public function __construct(
        public readonly string $email,
        public readonly string $phone,
        public readonly string $firstname,
        public readonly string $lastname,
        public readonly string $address = '',
        public readonly string $city = '',
        public readonly string $state = '',
        public readonly string $country = '',
        public readonly string $pincode = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->email('buyer_email', $this->email, Rule::Required);
        $w->phone('buyer_phone', $this->phone, Rule::Required);
        $w->text('buyer_firstname', $this->firstname, Rule::Required, 100);
        $w->text('buyer_lastname', $this->lastname, Rule::Required, 100);
        $w->text('buyer_address', $this->address, Rule::Optional, 255);
        $w->text('buyer_city', $this->city, Rule::Optional, 255);
        $w->text('buyer_state', $this->state, Rule::Optional, 255);
        $w->text('buyer_country', $this->country, Rule::Optional, 255);
        $w->text('buyer_pincode', $this->pincode, Rule::Optional, 16);
    }
}

/** A card as it was sent, unchecked; without a readable form. */
final class CardFields
{
    public function __construct(
        #[\SensitiveParameter] public readonly string $number,
        #[\SensitiveParameter] public readonly string $expiry,
        #[\SensitiveParameter] public readonly string $cvv,
        #[\SensitiveParameter] public readonly string $holder = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->text('card_number', $this->number, Rule::Secret, 40);
        $w->text('card_expiry', $this->expiry, Rule::Secret, 40);
        $w->text('card_cvv', $this->cvv, Rule::Secret, 40);
        $w->text('card_holder', $this->holder, Rule::OptionalSecret, 40);
    }
}

/** A payment that the merchant's server begins, by its customer's chosen way. */
final class SeamlessRequest
{
    /**
     * @param list<string> $channels
     */
    public function __construct(
        public readonly string $orderId,
        public readonly int $amountPaise,
        public readonly Buyer $buyer,
        public readonly string $payBy,
        public readonly string $currency = '',
        public readonly array $channels = [],
        public readonly string $customvar = '',
        public readonly ?PayerAccount $payerAccount = null,
        public readonly string $txnsubtype = '',
        public readonly string $vpa = '',
        public readonly string $bankCode = '',
        public readonly ?CardFields $card = null,
        public readonly string $customerIp = '',
        public readonly string $customerAgent = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('orderid', $this->orderId, Rule::Required, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('amount', $this->amountPaise, Rule::Required);
        $this->buyer->write($w);
        $w->oneOf('pay_by', $this->payBy, Rule::Required, ['upi', 'nb', 'ppc', 'payltr', 'pg']);
        $w->currency('iso_currency', $this->currency);
        $w->channels('chmod', $this->channels);
        $w->text('customvar', $this->customvar, Rule::Optional, 4096);
        $w->shop('mer_dom');
        $this->payerAccount?->write($w);
        $w->oneOf('txnsubtype', $this->txnsubtype, Rule::Optional, ['2', '1']);
        $w->vpa('vpa', $this->vpa, Rule::Optional);
        $w->text('bank_code', $this->bankCode, Rule::Optional, 255);
        $this->card?->write($w);
        $w->text('customer_ip', $this->customerIp, Rule::Optional, 255);
        $w->text('customer_agent', $this->customerAgent, Rule::Optional, 255);
    }
}

/** One refund, in paise; without an amount, of all that remains. */
final class RefundItem
{
    public function __construct(
        public readonly string $transactionId,
        public readonly ?int $amountPaise = null,
        public readonly string $requestId = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->amount('amount', $this->amountPaise, Rule::Optional);
        $w->matching('refund_request_id', $this->requestId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', ['approval-', 'console-', 'link-'], '1 to 64 characters of A-Z a-z 0-9 - _ .');
    }
}

/** A batch of refunds. */
final class RefundRequest
{
    /**
     * @param list<RefundItem> $items
     */
    public function __construct(
        public readonly array $items,
        public readonly string $requestId = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->batch('transactions', $this->items, 1000);
        $w->constant('mode', 'refund');
        $w->matching('refund_request_id', $this->requestId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', ['approval-', 'console-', 'link-'], '1 to 64 characters of A-Z a-z 0-9 - _ .');
    }
}

/** A subscription, by a name of the order that registered it; both names must agree. */
final class SubscriptionName
{
    public function __construct(
        public readonly string $transactionId = '',
        public readonly string $orderId = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('orderid', $this->orderId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->atLeastOne('ap_transactionid', 'orderid');
    }
}

/** Subscriptions, newest first. */
final class SubscriptionsBefore
{
    public function __construct(
        public readonly string $state = '',
        public readonly string $before = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->oneOf('state', $this->state, Rule::Optional, ['created', 'active', 'paused', 'cancelled', 'completed', 'failed']);
        $w->matching('before', $this->before, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** A subscription, by the order that registered it, whose next debit is announced now. */
final class SubscriptionCharge
{
    public function __construct(
        public readonly string $transactionId = '',
        public readonly string $orderId = '',
        public readonly ?int $amountPaise = null,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('orderid', $this->orderId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('sb_amount', $this->amountPaise, Rule::Optional);
        $w->atLeastOne('ap_transactionid', 'orderid');
    }
}

/** New terms of a subscription, by its order, within what the customer approved. */
final class SubscriptionChange
{
    public function __construct(
        public readonly string $transactionId = '',
        public readonly string $orderId = '',
        public readonly ?int $amountPaise = null,
        public readonly ?int $debits = null,
        public readonly ?int $retries = null,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('orderid', $this->orderId, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('sb_amount', $this->amountPaise, Rule::Optional);
        $w->count('sb_recurringcount', $this->debits, Rule::Optional, 1, 998);
        $w->count('sb_retryattempts', $this->retries, Rule::Optional, 0, 99);
        $w->atLeastOne('ap_transactionid', 'orderid');
    }
}

/** The customer whose saved cards to list, newest first. */
final class SavedCardsOf
{
    public function __construct(
        public readonly string $customerId,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->customer('UID', $this->customerId, Rule::Required);
    }
}

/** The saved card to delete. */
final class SavedCardName
{
    public function __construct(
        #[\SensitiveParameter] public readonly string $token,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->text('token', $this->token, Rule::Secret, 255);
    }
}

/** A line of what a link is for. amount_paise: of all its pieces together. */
final class NewLinkItem
{
    public function __construct(
        public readonly string $description,
        public readonly int $amountPaise,
        public readonly int $quantity = 0,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->text('description', $this->description, Rule::Required, 100);
        $w->amount('amount', $this->amountPaise, Rule::Required);
        $w->countUnlessZero('quantity', $this->quantity, Rule::Optional, 1, 9999);
    }
}

/** A new link, in paise. The same request under one reference makes one link. */
final class NewPaymentLink
{
    /**
     * @param list<NewLinkItem> $items
     */
    public function __construct(
        public readonly string $reference,
        public readonly int $amountPaise,
        public readonly string $description,
        public readonly int $minimumPaise = 0,
        public readonly int $validDays = 0,
        public readonly string $surplus = '',
        public readonly string $customerEmail = '',
        public readonly string $customerPhone = '',
        public readonly array $items = [],
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('link_reference', $this->reference, Rule::Required, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('amount', $this->amountPaise, Rule::Required);
        $w->text('description', $this->description, Rule::Required, 200);
        $w->amountUnlessZero('minimum', $this->minimumPaise, Rule::Optional);
        $w->countUnlessZero('valid_days', $this->validDays, Rule::Optional, 1, 366);
        $w->oneOf('surplus', $this->surplus, Rule::Optional, ['refund', 'keep']);
        $w->email('customer_email', $this->customerEmail, Rule::Optional);
        $w->phone('customer_phone', $this->customerPhone, Rule::Optional);
        $w->objectsUnlessEmpty('items', $this->items);
    }
}

/** A payment link, by one of its names; both must agree. */
final class LinkName
{
    public function __construct(
        public readonly string $linkId = '',
        public readonly string $reference = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('link_id', $this->linkId, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('link_reference', $this->reference, Rule::Optional, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->atLeastOne('link_id', 'link_reference');
    }
}

/** Payment links, newest first. */
final class LinksBefore
{
    public function __construct(
        public readonly string $before = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('before', $this->before, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** Settlements, newest first. */
final class SettlementsBefore
{
    public function __construct(
        public readonly string $before = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('before', $this->before, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** The id of a settlement. */
final class SettlementName
{
    public function __construct(
        public readonly string $settlementId,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('settlement_id', $this->settlementId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** A settlement, whose items to list, oldest first. after: `next` of the page before. */
final class SettlementItemsAfter
{
    public function __construct(
        public readonly string $settlementId,
        public readonly string $after = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('settlement_id', $this->settlementId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('after', $this->after, Rule::Optional, '~\\A[0-9]{1,15}-[a-z_]{1,40}\\z~', [], 'an item_id of this list');
    }
}

/** Payouts, newest first. before: the last payout_id that you have, for those that are older. */
final class PayoutsBefore
{
    public function __construct(
        public readonly string $state = '',
        public readonly string $before = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->oneOf('state', $this->state, Rule::Optional, ['waiting', 'sent', 'done', 'refused', 'returned', 'reversed', 'held_back']);
        $w->matching('before', $this->before, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** No fields: the terms are the sender's own. */
final class OwnTerms
{
    public function __construct(
    ) {
    }

    public function write(Writer $w): void
    {
    }
}

/** One linked account's share. value: paise, or hundredths of a per cent; above zero. */
final class SplitPart
{
    public function __construct(
        public readonly string $identifier,
        public readonly int $value,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('identifier', $this->identifier, Rule::Required, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('value', $this->value, Rule::Required);
    }
}

/** How a transaction is shared. */
final class SplitRequest
{
    /**
     * @param list<SplitPart> $parts
     */
    public function __construct(
        public readonly string $transactionId,
        public readonly string $requestId,
        public readonly string $type,
        public readonly int $primaryValue,
        public readonly array $parts,
        public readonly string $rrn = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('ap_transactionid', $this->transactionId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->matching('split_request_id', $this->requestId, Rule::Required, '~\\A[0-9]{1,15}\\z~', [], '1 to 15 digits');
        $w->oneOf('split_type', $this->type, Rule::Required, ['percentage', 'absolute']);
        $w->amountOrZero('primary_split_value', $this->primaryValue, Rule::Required);
        $w->objects('splits', $this->parts);
        $w->text('rrn', $this->rrn, Rule::Optional, 35);
    }
}

/** Disputes, newest first. */
final class DisputesBefore
{
    public function __construct(
        public readonly string $state = '',
        public readonly string $before = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->oneOf('state', $this->state, Rule::Optional, ['open', 'under_review', 'accepting', 'expired', 'won', 'lost', 'accepted', 'partly_accepted', 'closed']);
        $w->matching('before', $this->before, Rule::Optional, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** The id of a dispute. */
final class DisputeName
{
    public function __construct(
        public readonly string $disputeId,
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('dispute_id', $this->disputeId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
    }
}

/** A document for the answer to a dispute. */
final class NewEvidence
{
    public function __construct(
        public readonly string $disputeId,
        #[\SensitiveParameter] public readonly string $content,
        public readonly string $name = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('dispute_id', $this->disputeId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->document('content', $this->content, Rule::Secret, 1398104);
        $w->text('name', $this->name, Rule::Optional, 100);
    }
}

/** The answer that contests a dispute: it needs a note or a document. */
final class DisputeContest
{
    public function __construct(
        public readonly string $disputeId,
        public readonly string $note = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('dispute_id', $this->disputeId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->text('note', $this->note, Rule::Optional, 1000);
    }
}

/** The answer that accepts a dispute, or only a part of it. */
final class DisputeAcceptance
{
    public function __construct(
        public readonly string $disputeId,
        public readonly ?int $amountPaise = null,
        public readonly string $note = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('dispute_id', $this->disputeId, Rule::Required, '~\\A[0-9]{1,20}\\z~', [], '1 to 20 digits');
        $w->amount('amount', $this->amountPaise, Rule::Optional);
        $w->text('note', $this->note, Rule::Optional, 1000);
    }
}

/** Notifications, in the order of their events. */
final class NotificationsAfter
{
    public function __construct(
        public readonly string $after = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('after', $this->after, Rule::Optional, '~\\A[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}\\z~', [], 'the next of this list');
    }
}

/** A payment to start. */
final class PaymentRequest
{
    /**
     * @param list<string> $channels
     */
    public function __construct(
        public readonly string $orderId,
        public readonly int $amountPaise,
        public readonly Buyer $buyer,
        public readonly string $currency = '',
        public readonly array $channels = [],
        public readonly string $customvar = '',
        public readonly ?PayerAccount $payerAccount = null,
        public readonly string $txnsubtype = '',
        public readonly ?OrderMandate $subscription = null,
        public readonly string $uid = '',
        #[\SensitiveParameter] public readonly string $savedCard = '',
    ) {
    }

    public function write(Writer $w): void
    {
        $w->matching('orderid', $this->orderId, Rule::Required, '~\\A[A-Za-z0-9_.-]{1,64}\\z~', [], '1 to 64 characters of A-Z a-z 0-9 - _ .');
        $w->amount('amount', $this->amountPaise, Rule::Required);
        $this->buyer->write($w);
        $w->currency('iso_currency', $this->currency);
        $w->channels('chmod', $this->channels);
        $w->text('customvar', $this->customvar, Rule::Optional, 4096);
        $w->shop('mer_dom');
        $this->payerAccount?->write($w);
        $w->oneOf('txnsubtype', $this->txnsubtype, Rule::Optional, ['1', '2', '3', '7', '8', '9', '10', '11', '12']);
        $this->subscription?->write($w);
        $w->customer('UID', $this->uid, Rule::Optional);
        $w->text('token', $this->savedCard, Rule::OptionalSecret, 255);
    }
}

/** One payment's transaction record; texts are empty where the record has none. */
final class Transaction
{
    use TransactionStates;

    public function __construct(
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly string $merchantId,
        public readonly int $amountPaise,
        public readonly string $amount,
        public readonly string $currencyCode,
        public readonly int $statusCode,
        public readonly string $paymentStatus,
        public readonly int $transactionType,
        public readonly string $channel,
        public readonly string $message,
        public readonly string $bankMessage,
        public readonly string $bankCode,
        public readonly string $rrn,
        public readonly string $utr,
        public readonly string $customerName,
        public readonly string $customerEmail,
        public readonly string $customerPhone,
        public readonly string $customerVpa,
        public readonly string $cardScheme,
        public readonly string $cardNumber,
        public readonly string $cardType,
        public readonly string $cardCountry,
        public readonly string $bankName,
        public readonly string $customVar,
        public readonly bool $atRisk,
        public readonly int $surchargePaise,
        public readonly ?\DateTimeImmutable $createdAt,
        public readonly string $detailedStatus,
        public readonly int $capturedPaise,
        public readonly int $refunds,
        public readonly int $refundedPaise,
        public readonly string $refundId,
        public readonly string $refundRequestId,
        public readonly string $refundStatus,
        public readonly string $refundRrn,
        public readonly string $disputeId,
        public readonly string $disputePhase,
        public readonly string $disputeStatus,
        public readonly string $disputeReason,
        public readonly ?\DateTimeImmutable $disputeRespondBy,
        public readonly string $savedCard,
        public readonly ?\DateTimeImmutable $paidAt,
        public readonly int $attempts,
        public readonly string $emiBank,
        public readonly int $emiMonths,
        public readonly string $emiRate,
        public readonly string $isoCurrency,
        public readonly int $inrPaise,
        public readonly string $inrRate,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('ap_transactionid'),
            $r->words('orderid'),
            $r->words('merchant_id'),
            $r->amount('amount'),
            $r->words('amount'),
            $r->words('currency_code'),
            $r->integer('transaction_status'),
            $r->words('transaction_payment_status'),
            $r->integer('transaction_type'),
            $r->words('chmod'),
            $r->words('message'),
            $r->words('bank_response_msg'),
            $r->words('bank_response_code'),
            $r->words('rrn'),
            $r->words('utr_no'),
            $r->words('customer_name'),
            $r->words('customer_email'),
            $r->words('customer_phone'),
            $r->words('customer_vpa'),
            $r->words('card_scheme'),
            $r->words('card_number'),
            $r->words('card_type'),
            $r->words('card_country'),
            $r->words('bank_name'),
            $r->words('customvar'),
            $r->isOne('risk'),
            $r->sum('surcharge_amount'),
            $r->recordTime('transaction_time'),
            $r->words('detailed_status'),
            $r->sum('captured_amount'),
            $r->integer('refunds_count'),
            $r->sum('refunds_total'),
            $r->words('refund_id'),
            $r->words('refund_request_id'),
            $r->words('refund_status'),
            $r->words('refund_rrn'),
            $r->words('dispute_id'),
            $r->words('dispute_phase'),
            $r->words('dispute_status'),
            $r->words('dispute_reason'),
            $r->recordTime('dispute_respond_by'),
            $r->words('token'),
            $r->recordTime('paid_at'),
            $r->integer('attempts'),
            $r->words('emi_bank'),
            $r->integer('emi_months'),
            $r->words('emi_rate'),
            $r->wordsOr('iso_currency', 'INR'),
            $r->sum('inr_amount'),
            $r->words('inr_rate'),
        );
    }
}

/** An access token. */
final class AccessToken
{
    public function __construct(
        #[\SensitiveParameter] public readonly string $token,
        public readonly int $lifeS,
        public readonly string $scope,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('access_token'),
            $r->whole('expires_in'),
            $r->words('scope'),
        );
    }
}

/** One bank of a channel, or a channel without banks: then code and name are "". */
final class Bank
{
    public function __construct(
        public readonly string $channel,
        public readonly string $channelName,
        public readonly string $title,
        public readonly string $description,
        public readonly string $code,
        public readonly string $name,
        public readonly string $health,
        public readonly ?int $minimumPaise,
        public readonly ?int $maximumPaise,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('chmod'),
            $r->words('channel_name'),
            $r->words('title'),
            $r->words('description'),
            $r->words('bank_code'),
            $r->words('bank_name'),
            $r->words('health'),
            $r->limit('min_amount'),
            $r->limit('max_amount'),
        );
    }
}

/** Every bank of every channel that is open. */
final class Banks
{
    /**
     * @param list<Bank> $banks
     */
    public function __construct(
        public readonly array $banks,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('banks', Bank::read(...)),
        );
    }
}

/** A UPI address, and whether it is registered. */
final class UpiAddress
{
    public function __construct(
        public readonly string $address,
        public readonly bool $isRegistered,
        #[\SensitiveParameter] public readonly string $name,
        public readonly string $status,
        public readonly string $message,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('vpa'),
            $r->yesOrNo('valid'),
            $r->words('vpa_name'),
            $r->words('status'),
            $r->words('message'),
        );
    }
}

/** A QR order. */
final class QrData
{
    public function __construct(
        public readonly string $text,
        #[\SensitiveParameter] public readonly string $png,
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly string $merchantId,
        public readonly string $textAgain,
        public readonly string $status,
        public readonly ?\DateTimeImmutable $expiresAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('qr_string'),
            $r->bytes('qr_image'),
            $r->name('ap_transactionid'),
            $r->words('orderid'),
            $r->words('merchant_id'),
            $r->words('qrcode_string'),
            $r->words('status'),
            $r->moment('expires_at'),
        );
    }
}

/** The customer's next step, and the state of the order. */
final class SeamlessData
{
    /**
     * @param array<string, string> $redirectFields
     */
    public function __construct(
        public readonly string $action,
        public readonly string $redirectUrl,
        public readonly array $redirectFields,
        public readonly string $link,
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly string $merchantId,
        public readonly int $amountPaise,
        public readonly int $payablePaise,
        public readonly int $surchargePaise,
        public readonly string $currency,
        public readonly int $statusCode,
        public readonly string $paymentStatus,
        public readonly string $bankCode,
        public readonly string $bankMessage,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('next_action'),
            $r->words('redirect_url'),
            $r->pairs('redirect_fields'),
            $r->words('upi_link'),
            $r->name('ap_transactionid'),
            $r->words('orderid'),
            $r->words('merchant_id'),
            $r->moneyOrNone('amount'),
            $r->moneyOrNone('payable_amount'),
            $r->moneyOr('surcharge_amount', 0),
            $r->wordsOr('iso_currency', 'INR'),
            $r->whole('transaction_status'),
            $r->words('transaction_payment_status'),
            $r->words('bank_response_code'),
            $r->words('bank_response_msg'),
        );
    }
}

/** The gateway's answer to one item. */
final class RefundResult
{
    public function __construct(
        public readonly string $transactionId,
        public readonly ?int $amountPaise,
        public readonly bool $accepted,
        public readonly string $message,
        public readonly string $refundId,
        public readonly string $mode,
        public readonly string $code,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->number('ap_transactionid'),
            $r->limit('amount'),
            $r->yesOrNo('success'),
            $r->words('message'),
            $r->number('refund_id'),
            $r->wordsOr('mode', 'refund'),
            $r->wordsOr('response_code', '00'),
        );
    }
}

/** The answers in the order of the items. */
final class RefundResults
{
    /**
     * @param list<RefundResult> $results
     */
    public function __construct(
        public readonly array $results,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('transactions', RefundResult::read(...)),
        );
    }
}

/** One period of a subscription. */
final class SubscriptionDebit
{
    public function __construct(
        public readonly int $period,
        public readonly int $amountPaise,
        public readonly string $state,
        public readonly ?\DateTimeImmutable $debitAt,
        public readonly string $orderTransactionId,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->whole('period'),
            $r->money('amount'),
            $r->name('state'),
            $r->moment('debit_at'),
            $r->words('ap_transactionid'),
        );
    }
}

/** A subscription in its current state. */
final class Subscription
{
    /**
     * @param list<SubscriptionDebit> $debits
     */
    public function __construct(
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly string $state,
        public readonly int $amountPaise,
        public readonly int $maxPaise,
        public readonly string $period,
        public readonly int $every,
        public readonly ?\DateTimeInterface $nextDebitOn,
        public readonly ?int $debitsMax,
        public readonly int $retries,
        public readonly ?\DateTimeInterface $validUntil,
        public readonly string $channel,
        public readonly string $umrn,
        #[\SensitiveParameter] public readonly string $payerVpa,
        #[\SensitiveParameter] public readonly string $manageUrl,
        public readonly array $debits,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('ap_transactionid'),
            $r->name('orderid'),
            $r->name('state'),
            $r->money('sb_amount'),
            $r->money('sb_maxamount'),
            $r->name('sb_period'),
            $r->whole('sb_frequency'),
            $r->day('sb_nextrundate'),
            $r->wholeOrNone('sb_recurringcount', 999),
            $r->whole('sb_retryattempts'),
            $r->day('valid_until'),
            $r->words('chmod'),
            $r->words('umrn'),
            $r->words('customer_vpa'),
            $r->words('manage_url'),
            $r->objects('debits', SubscriptionDebit::read(...)),
        );
    }
}

/** A page of subscriptions, newest first, without their debits. */
final class Subscriptions
{
    /**
     * @param list<Subscription> $subscriptions
     */
    public function __construct(
        public readonly array $subscriptions,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('subscriptions', Subscription::read(...)),
        );
    }
}

/** One card that a customer lets a merchant keep. */
final class SavedCard
{
    public function __construct(
        #[\SensitiveParameter] public readonly string $token,
        public readonly string $customerId,
        public readonly string $number,
        public readonly string $scheme,
        public readonly string $type,
        public readonly string $issuer,
        public readonly ?\DateTimeImmutable $savedAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('token'),
            $r->name('UID'),
            $r->name('card_number'),
            $r->words('card_scheme'),
            $r->words('card_type'),
            $r->words('bank_name'),
            $r->moment('saved_at'),
        );
    }
}

/** The saved cards of one customer, newest first. */
final class SavedCards
{
    /**
     * @param list<SavedCard> $cards
     */
    public function __construct(
        public readonly array $cards,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('cards', SavedCard::read(...)),
        );
    }
}

/** A line of what a link is for, in paise. amount_paise: of all its pieces together. */
final class PaymentLinkItem
{
    public function __construct(
        public readonly string $description,
        public readonly int $quantity,
        public readonly int $amountPaise,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('description'),
            $r->whole('quantity'),
            $r->money('amount'),
        );
    }
}

/** A payment under a link, in paise, counted once it was paid. */
final class LinkPayment
{
    public function __construct(
        public readonly string $orderId,
        public readonly string $transactionId,
        public readonly int $amountPaise,
        public readonly int $countedPaise,
        public readonly int $returnedPaise,
        public readonly ?\DateTimeImmutable $paidAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('orderid'),
            $r->name('ap_transactionid'),
            $r->money('amount'),
            $r->money('counted_amount'),
            $r->money('returned_amount'),
            $r->moment('paid_at'),
        );
    }
}

/** A payment link in its current state, in paise. */
final class PaymentLink
{
    /**
     * @param list<PaymentLinkItem> $items
     * @param list<LinkPayment> $payments
     */
    public function __construct(
        public readonly string $linkId,
        public readonly string $reference,
        #[\SensitiveParameter] public readonly string $url,
        public readonly string $state,
        public readonly int $amountPaise,
        public readonly int $paidPaise,
        public readonly int $minimumPaise,
        public readonly string $description,
        public readonly string $surplus,
        public readonly ?\DateTimeImmutable $createdAt,
        public readonly ?\DateTimeImmutable $validUntil,
        public readonly array $items,
        public readonly array $payments,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('link_id'),
            $r->name('link_reference'),
            $r->name('url'),
            $r->name('state'),
            $r->money('amount'),
            $r->money('paid_amount'),
            $r->moneyOrNone('minimum'),
            $r->name('description'),
            $r->name('surplus'),
            $r->moment('created_at'),
            $r->moment('valid_until'),
            $r->objectsOrNone('items', PaymentLinkItem::read(...)),
            $r->objectsOrNone('payments', LinkPayment::read(...)),
        );
    }
}

/** A page of payment links, newest first, without their payments. */
final class PaymentLinks
{
    /**
     * @param list<PaymentLink> $links
     */
    public function __construct(
        public readonly array $links,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('links', PaymentLink::read(...)),
        );
    }
}

/** One bank account's share of a settlement. */
final class SettlementShare
{
    public function __construct(
        public readonly string $beneficiary,
        public readonly int $amountPaise,
        public readonly string $payoutId,
        public readonly string $payoutState,
        public readonly string $utr,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('beneficiary'),
            $r->money('amount'),
            $r->words('payout_id'),
            $r->words('payout_state'),
            $r->words('utr'),
        );
    }
}

/** What you were owed on one day, in whole paise. */
final class Settlement
{
    /**
     * @param list<SettlementShare> $shares
     */
    public function __construct(
        public readonly string $settlementId,
        public readonly ?\DateTimeInterface $day,
        public readonly string $kind,
        public readonly int $items,
        public readonly int $carriedInPaise,
        public readonly int $grossPaise,
        public readonly int $refundsPaise,
        public readonly int $otherPaise,
        public readonly int $feePaise,
        public readonly int $taxPaise,
        public readonly int $instantFeePaise,
        public readonly int $instantTaxPaise,
        public readonly int $reserveHeldPaise,
        public readonly int $reserveReleasedPaise,
        public readonly int $netPaise,
        public readonly int $splitsPaise,
        public readonly int $carriedPaise,
        public readonly string $currency,
        public readonly string $utr,
        public readonly array $shares,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('settlement_id'),
            $r->day('settlement_day'),
            $r->name('kind'),
            $r->whole('items'),
            $r->balance('carried_in_amount'),
            $r->money('gross_amount'),
            $r->balance('refunds_amount'),
            $r->balance('other_amount'),
            $r->money('fee_amount'),
            $r->money('tax_amount'),
            $r->money('instant_fee_amount'),
            $r->money('instant_tax_amount'),
            $r->money('reserve_held_amount'),
            $r->money('reserve_released_amount'),
            $r->money('net_amount'),
            $r->money('splits_amount'),
            $r->balance('carried_amount'),
            $r->nameOr('iso_currency', 'INR'),
            $r->words('utr'),
            $r->objectsOrNone('shares', SettlementShare::read(...)),
        );
    }
}

/** A page of settlements, newest first, without their shares. */
final class Settlements
{
    /**
     * @param list<Settlement> $settlements
     */
    public function __construct(
        public readonly array $settlements,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('settlements', Settlement::read(...)),
        );
    }
}

/** One item of a settlement: gross less fee and tax is net. */
final class SettlementItem
{
    public function __construct(
        public readonly string $itemId,
        public readonly string $kind,
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly ?\DateTimeImmutable $at,
        public readonly int $grossPaise,
        public readonly int $feePaise,
        public readonly int $taxPaise,
        public readonly int $netPaise,
        public readonly string $rule,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('item_id'),
            $r->name('kind'),
            $r->words('ap_transactionid'),
            $r->words('orderid'),
            $r->moment('at'),
            $r->balance('gross_amount'),
            $r->money('fee_amount'),
            $r->money('tax_amount'),
            $r->balance('net_amount'),
            $r->words('fee_rule'),
        );
    }
}

/** A page of a settlement's items. next: the `after` of the next page, "" at the end. */
final class SettlementItems
{
    /**
     * @param list<SettlementItem> $items
     */
    public function __construct(
        public readonly array $items,
        public readonly string $next,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('items', SettlementItem::read(...)),
            $r->words('next'),
        );
    }
}

/** One try to pay out a share of a settlement. */
final class Payout
{
    public function __construct(
        public readonly string $payoutId,
        public readonly string $settlementId,
        public readonly string $beneficiary,
        public readonly int $amountPaise,
        public readonly string $currency,
        public readonly string $state,
        public readonly string $rail,
        public readonly string $account,
        public readonly string $utr,
        public readonly string $reason,
        public readonly ?\DateTimeImmutable $createdAt,
        public readonly ?\DateTimeImmutable $sentAt,
        public readonly ?\DateTimeImmutable $endedAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('payout_id'),
            $r->name('settlement_id'),
            $r->name('beneficiary'),
            $r->money('amount'),
            $r->nameOr('iso_currency', 'INR'),
            $r->name('state'),
            $r->words('rail'),
            $r->words('account'),
            $r->words('utr'),
            $r->words('reason'),
            $r->moment('created_at'),
            $r->moment('sent_at'),
            $r->moment('ended_at'),
        );
    }
}

/** A page of payouts, newest first. */
final class Payouts
{
    /**
     * @param list<Payout> $payouts
     */
    public function __construct(
        public readonly array $payouts,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('payouts', Payout::read(...)),
        );
    }
}

/** The next settlement, as far as it is known now, in paise. */
final class NextSettlement
{
    public function __construct(
        public readonly ?\DateTimeInterface $day,
        public readonly ?\DateTimeImmutable $dueAt,
        public readonly int $items,
        public readonly int $netPaise,
        public readonly int $splitsPaise,
        public readonly int $carriedPaise,
        public readonly string $currency,
        public readonly bool $held,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->day('settlement_day'),
            $r->moment('due_at'),
            $r->whole('items'),
            $r->money('net_amount'),
            $r->money('splits_amount'),
            $r->balance('carried_amount'),
            $r->nameOr('iso_currency', 'INR'),
            $r->flag('held'),
        );
    }
}

/** One price. Empty tuples mean everything; None is no bound. */
final class Price
{
    /**
     * @param list<string> $channels
     * @param list<string> $networks
     * @param list<string> $notNetworks
     * @param list<string> $cardTypes
     * @param list<string> $notCardTypes
     */
    public function __construct(
        public readonly string $rule,
        public readonly array $channels,
        public readonly array $networks,
        public readonly array $notNetworks,
        public readonly array $cardTypes,
        public readonly array $notCardTypes,
        public readonly ?int $abovePaise,
        public readonly ?int $upToPaise,
        public readonly int $basisPoints,
        public readonly int $fixedPaise,
        public readonly ?int $minimumPaise,
        public readonly ?int $maximumPaise,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('rule'),
            $r->texts('channels'),
            $r->texts('networks'),
            $r->texts('not_networks'),
            $r->texts('card_types'),
            $r->texts('not_card_types'),
            $r->limit('above_amount'),
            $r->limit('up_to_amount'),
            $r->money('percent'),
            $r->money('fixed_amount'),
            $r->limit('minimum_amount'),
            $r->limit('maximum_amount'),
        );
    }
}

/** The prices in force today. */
final class PriceList
{
    /**
     * @param list<Price> $prices
     */
    public function __construct(
        public readonly int $planNo,
        public readonly ?\DateTimeInterface $firstDay,
        public readonly array $prices,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->whole('plan_no'),
            $r->day('first_day'),
            $r->objects('prices', Price::read(...)),
        );
    }
}

/** An account that receives payouts. */
final class BankAccount
{
    public function __construct(
        public readonly string $beneficiary,
        public readonly string $holder,
        public readonly string $account,
        public readonly string $ifsc,
        public readonly string $state,
        public readonly ?\DateTimeImmutable $addedAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('beneficiary'),
            $r->words('holder'),
            $r->name('account'),
            $r->name('ifsc'),
            $r->name('state'),
            $r->moment('added_at'),
        );
    }
}

/** The accounts that receive payouts. */
final class BankAccounts
{
    /**
     * @param list<BankAccount> $accounts
     */
    public function __construct(
        public readonly array $accounts,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('accounts', BankAccount::read(...)),
        );
    }
}

/** One linked account's share of the transaction. amount: decimal text with two places. */
final class SplitShare
{
    public function __construct(
        public readonly string $identifier,
        public readonly int $amountPaise,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('identifier'),
            $r->money('amount'),
        );
    }
}

/** The current split. */
final class SplitData
{
    /**
     * @param list<SplitShare> $shares
     */
    public function __construct(
        public readonly string $requestId,
        public readonly string $status,
        public readonly string $transactionId,
        public readonly int $primaryPaise,
        public readonly array $shares,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->words('split_request_id'),
            $r->words('status'),
            $r->words('ap_transactionid'),
            $r->money('primary_amount'),
            $r->objects('splits', SplitShare::read(...)),
        );
    }
}

/** One phase of a dispute, in paise of the payment's currency; fee and tax in paise of rupees. */
final class DisputePhase
{
    public function __construct(
        public readonly string $phase,
        public readonly string $state,
        public readonly int $amountPaise,
        public readonly int $heldPaise,
        public readonly int $takenPaise,
        public readonly int $acceptedPaise,
        public readonly int $feePaise,
        public readonly int $taxPaise,
        public readonly string $reason,
        public readonly ?\DateTimeImmutable $openedAt,
        public readonly ?\DateTimeImmutable $respondBy,
        public readonly ?\DateTimeImmutable $answeredAt,
        public readonly ?\DateTimeImmutable $sentAt,
        public readonly ?\DateTimeImmutable $endedAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('phase'),
            $r->name('state'),
            $r->money('amount'),
            $r->money('held_amount'),
            $r->money('taken_amount'),
            $r->money('accepted_amount'),
            $r->money('fee_amount'),
            $r->money('tax_amount'),
            $r->words('reason'),
            $r->moment('opened_at'),
            $r->moment('respond_by'),
            $r->moment('answered_at'),
            $r->moment('sent_at'),
            $r->moment('ended_at'),
        );
    }
}

/** A document for the answer to a dispute, without its content. */
final class Evidence
{
    public function __construct(
        public readonly string $evidenceId,
        public readonly string $name,
        public readonly string $type,
        public readonly int $bytes,
        public readonly string $sha256,
        public readonly ?\DateTimeImmutable $addedAt,
        public readonly ?\DateTimeImmutable $sentAt,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('evidence_id'),
            $r->words('name'),
            $r->name('type'),
            $r->whole('bytes'),
            $r->name('sha256'),
            $r->moment('added_at'),
            $r->moment('sent_at'),
        );
    }
}

/** A dispute. order_id: "" for a payment in the archive. */
final class Dispute
{
    /**
     * @param list<DisputePhase> $phases
     * @param list<Evidence> $evidence
     */
    public function __construct(
        public readonly DisputePhase $now,
        public readonly string $disputeId,
        public readonly string $transactionId,
        public readonly string $orderId,
        public readonly string $currency,
        public readonly array $phases,
        public readonly array $evidence,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            DisputePhase::read($r),
            $r->name('dispute_id'),
            $r->name('ap_transactionid'),
            $r->words('orderid'),
            $r->name('iso_currency'),
            $r->objectsOrNone('phases', DisputePhase::read(...)),
            $r->objectsOrNone('evidence', Evidence::read(...)),
        );
    }
}

/** A page of disputes, newest first, without their phases and documents. */
final class Disputes
{
    /**
     * @param list<Dispute> $disputes
     */
    public function __construct(
        public readonly array $disputes,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('disputes', Dispute::read(...)),
        );
    }
}

/** A notification as it is sent to your server, signed when it was read. */
final class AnnouncedNotification
{
    public function __construct(
        public readonly string $webhookId,
        public readonly string $event,
        public readonly string $orderId,
        public readonly string $transactionId,
        public readonly string $state,
        public readonly ?\DateTimeImmutable $createdAt,
        public readonly string $contentType,
        public readonly string $timestamp,
        public readonly string $signature,
        public readonly string $text,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->name('webhook_id'),
            $r->words('event'),
            $r->words('orderid'),
            $r->words('ap_transactionid'),
            $r->words('state'),
            $r->moment('created_at'),
            $r->name('content_type'),
            $r->name('webhook_timestamp'),
            $r->name('webhook_signature'),
            $r->name('body'),
        );
    }
}

/** Notifications in the order of their events. next: the `after` of the next page. */
final class AnnouncedPage
{
    /**
     * @param list<AnnouncedNotification> $notifications
     */
    public function __construct(
        public readonly array $notifications,
        public readonly string $next,
    ) {
    }

    public static function read(Reader $r): self
    {
        return new self(
            $r->objects('notifications', AnnouncedNotification::read(...)),
            $r->name('next'),
        );
    }
}
