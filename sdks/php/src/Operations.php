<?php

declare(strict_types=1);

namespace Hundi;

/**
 * What a merchant can ask of the gateway, each operation once.
 *
 * Written from the table of operations by `make sdks-written`: change the table, not this file.
 */
abstract class Operations
{
    public const PAYMENT_PAGE = '/gateway/pay/v4/';

    public const CURRENCIES = [
        'INR' => '356',
        'AED' => '784',
        'AUD' => '036',
        'CAD' => '124',
        'EUR' => '978',
        'GBP' => '826',
        'SGD' => '702',
        'USD' => '840',
    ];

    public const FORM_NAMES = [
        'MERCID' => 'merchant_id',
        'TRANSACTIONID' => 'orderid',
        'APTRANSACTIONID' => 'ap_transactionid',
        'AMOUNT' => 'amount',
        'TRANSACTIONSTATUS' => 'transaction_status',
        'TRANSACTIONPAYMENTSTATUS' => 'transaction_payment_status',
        'MESSAGE' => 'message',
        'CUSTOMVAR' => 'customvar',
        'CHMOD' => 'chmod',
        'CURRENCYCODE' => 'currency_code',
        'CUSTOMER' => 'customer_name',
        'CUSTOMERPHONE' => 'customer_phone',
        'CUSTOMEREMAIL' => 'customer_email',
        'CUSTOMERVPA' => 'customer_vpa',
        'RRN' => 'rrn',
        'RISK' => 'risk',
        'TRANSACTIONTIME' => 'transaction_time',
        'TRANSACTIONTYPE' => 'transaction_type',
        'BANKNAME' => 'bank_name',
        'CARD_NUMBER' => 'card_number',
        'CARDTYPE' => 'card_type',
        'SURCHARGE' => 'surcharge_amount',
        'CARDCOUNTRY' => 'card_country',
        'REASON' => 'bank_response_msg',
    ];

    public const CODES = [
        '101' => ['request_refused', 'after_fix'],
        '102' => ['request_refused', 'after_fix'],
        '103' => ['request_refused', 'after_fix'],
        '104' => ['token_refused', 'after_fix'],
        '105' => ['token_refused', 'after_fix'],
        '106' => ['token_refused', 'after_fix'],
        '108' => ['credentials_refused', 'after_fix'],
        '110' => ['request_refused', 'after_fix'],
        '111' => ['order_refused', 'after_fix'],
        '112' => ['order_refused', 'never'],
        '113' => ['not_enabled', 'after_fix'],
        '120' => ['state_refused', 'never'],
        '121' => ['state_refused', 'after_fix'],
        '122' => ['order_refused', 'after_fix'],
        '123' => ['refused', 'later'],
        '124' => ['refused', 'never'],
        '125' => ['refused', 'never'],
        '130' => ['not_enabled', 'never'],
        '131' => ['not_enabled', 'later'],
        '413' => ['request_refused', 'after_fix'],
        '429' => ['too_many_requests', 'later'],
        '501' => ['credentials_refused', 'after_fix'],
        '503' => ['not_found', 'never'],
        '903' => ['credentials_refused', 'after_fix'],
        'U04' => ['not_enabled', 'after_fix'],
        '114' => ['refused', 'after_fix'],
        '132' => ['refused', 'later'],
        '140' => ['refused', 'after_fix'],
        '141' => ['refused', 'never'],
        '142' => ['refused', 'after_fix'],
        '143' => ['refused', 'after_fix'],
        '145' => ['refused', 'never'],
        '144' => ['refused', 'after_fix'],
        '146' => ['refused', 'never'],
        '904' => ['refused', 'after_fix'],
        '991' => ['refused', 'later'],
        '992' => ['refused', 'later'],
        '999' => ['gateway_fault', 'later'],
    ];

    private const SPECS = [
        'access_token' => ['token', '/gateway/pay/v4/api/oauth2/', false, false, true, [], '', ''],
        'verify' => ['verify', '/gateway/pay/v4/api/verify/', false, true, true, [], '', ''],
        'banks' => ['banks', '/gateway/pay/v4/api/banks/', false, true, true, [], '', 'banks'],
        'validate_vpa' => ['validatevpa', '/gateway/pay/v4/api/validatevpa/', true, true, true, [], '', ''],
        'capture' => ['capture', '/gateway/pay/v4/api/capture/', false, true, false, [['ap_transactionid', true, false]], '', ''],
        'void' => ['void', '/gateway/pay/v4/api/void/', false, true, false, [['ap_transactionid', true, false]], '', ''],
        'generate_qr' => ['generateorder', '/gateway/pay/v4/api/generateorder/', true, true, true, [['orderid', false, false]], '', ''],
        'begin_payment' => ['seamless', '/gateway/pay/v4/api/seamless/', true, true, false, [['orderid', false, false]], '', ''],
        'refund' => ['refund', '/gateway/pay/v4/api/refund/', true, true, true, [], '', ''],
        'subscription' => ['subscription/status', '/gateway/pay/v4/api/subscription/status/', false, true, true, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'subscriptions' => ['subscription/list', '/gateway/pay/v4/api/subscription/list/', false, true, true, [], 'subscriptions', ''],
        'charge_subscription' => ['subscription/charge', '/gateway/pay/v4/api/subscription/charge/', false, true, false, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'change_subscription' => ['subscription/change', '/gateway/pay/v4/api/subscription/change/', false, true, true, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'pause_subscription' => ['subscription/pause', '/gateway/pay/v4/api/subscription/pause/', false, true, false, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'resume_subscription' => ['subscription/resume', '/gateway/pay/v4/api/subscription/resume/', false, true, false, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'cancel_subscription' => ['subscription/cancel', '/gateway/pay/v4/api/subscription/cancel/', false, true, true, [['ap_transactionid', true, false], ['orderid', false, false]], '', ''],
        'saved_cards' => ['savedcards', '/gateway/pay/v4/api/savedcards/', false, true, true, [['UID', false, false]], 'cards', ''],
        'delete_saved_card' => ['savedcards/delete', '/gateway/pay/v4/api/savedcards/delete/', false, true, false, [['token', false, true]], '', ''],
        'create_link' => ['link/create', '/gateway/pay/v4/api/link/create/', false, true, true, [['link_reference', false, false]], '', ''],
        'link' => ['link/status', '/gateway/pay/v4/api/link/status/', false, true, true, [['link_id', true, false], ['link_reference', false, false]], '', ''],
        'links' => ['link/list', '/gateway/pay/v4/api/link/list/', false, true, true, [], 'links', ''],
        'cancel_link' => ['link/cancel', '/gateway/pay/v4/api/link/cancel/', false, true, true, [['link_id', true, false], ['link_reference', false, false]], '', ''],
        'settlements' => ['settlement/list', '/gateway/pay/v4/api/settlement/list/', false, true, true, [], 'settlements', ''],
        'settlement' => ['settlement/status', '/gateway/pay/v4/api/settlement/status/', false, true, true, [['settlement_id', true, false]], '', ''],
        'settlement_items' => ['settlement/items', '/gateway/pay/v4/api/settlement/items/', false, true, true, [], '', ''],
        'payouts' => ['payout/list', '/gateway/pay/v4/api/payout/list/', false, true, true, [], 'payouts', ''],
        'next_settlement' => ['settlement/next', '/gateway/pay/v4/api/settlement/next/', false, true, true, [], '', ''],
        'price_list' => ['fees', '/gateway/pay/v4/api/fees/', false, true, true, [], '', ''],
        'bank_accounts' => ['bankaccount/list', '/gateway/pay/v4/api/bankaccount/list/', false, true, true, [], 'accounts', ''],
        'split' => ['split', '/gateway/neft/split_payout/transaction_level_split_config_api.php', true, false, true, [['split_request_id', false, false], ['ap_transactionid', true, false]], '', ''],
        'disputes' => ['dispute/list', '/gateway/pay/v4/api/dispute/list/', false, true, true, [], 'disputes', ''],
        'dispute' => ['dispute/status', '/gateway/pay/v4/api/dispute/status/', false, true, true, [['dispute_id', true, false]], '', ''],
        'add_evidence' => ['dispute/evidence', '/gateway/pay/v4/api/dispute/evidence/', true, true, true, [], '', ''],
        'contest_dispute' => ['dispute/contest', '/gateway/pay/v4/api/dispute/contest/', false, true, true, [['dispute_id', true, false]], '', ''],
        'accept_dispute' => ['dispute/accept', '/gateway/pay/v4/api/dispute/accept/', false, true, true, [['dispute_id', true, false]], '', ''],
        'notifications' => ['notification/list', '/gateway/pay/v4/api/notification/list/', false, true, true, [], '', ''],
    ];

    public static function spec(string $name): Spec
    {
        return new Spec(...self::SPECS[$name]);
    }

    /**
     * @template Reply
     * @param callable(Reader): Reply $read
     * @return Reply
     */
    abstract protected function perform(Spec $operation, object $asked, callable $read): mixed;

    abstract protected function performForTransaction(
        Spec $operation,
        object $asked,
    ): Transaction;

    /**
     * Get bank list. Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.
     * Safe to repeat. See docs/spec/payment-interfaces.md#banks.
     *
     * @return list<Bank>
     */
    public function banks(array $channels = []): array
    {
        return $this->perform(self::spec('banks'), new BanksRequest($channels), Banks::read(...))->banks;
    }

    /**
     * Validate UPI address. A UPI address to look up. Raises TooManyRequestsError: the gateway
     * limits these calls. See docs/spec/payment-interfaces.md#validatevpa.
     */
    public function validateVpa(string $address): UpiAddress
    {
        return $this->perform(self::spec('validate_vpa'), new ValidateVpaRequest($address), UpiAddress::read(...));
    }

    /**
     * Capture an authorisation. An authorisation to capture; without an amount, all of it. See
     * docs/spec/payment-interfaces.md#capture.
     */
    public function capture(CaptureRequest $asked): Transaction
    {
        return $this->performForTransaction(self::spec('capture'), $asked);
    }

    /**
     * Void an authorisation. An authorisation to void. See docs/spec/payment-interfaces.md#capture.
     */
    public function void(string $transactionId): Transaction
    {
        return $this->performForTransaction(self::spec('void'), new VoidRequest($transactionId));
    }

    /**
     * Generate UPI QR code. An order that is paid by one UPI QR. See docs/spec/payment-
     * interfaces.md#generateorder.
     */
    public function generateQr(GenerateOrderRequest $asked): QrData
    {
        return $this->perform(self::spec('generate_qr'), $asked, QrData::read(...));
    }

    /**
     * Begin a payment from the merchant's server. A payment that the merchant's server begins, by
     * its customer's chosen way. See docs/spec/payment-interfaces.md#seamless.
     */
    public function beginPayment(SeamlessRequest $asked): SeamlessData
    {
        return $this->perform(self::spec('begin_payment'), $asked, SeamlessData::read(...));
    }

    /**
     * Show a subscription. A subscription, by a name of the order that registered it; both names
     * must agree. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
     */
    public function subscription(SubscriptionName $asked): Subscription
    {
        return $this->perform(self::spec('subscription'), $asked, Subscription::read(...));
    }

    /**
     * List subscriptions. Subscriptions, newest first. Without their debits. Safe to repeat. See
     * docs/spec/payment-interfaces.md#subscription-operations.
     *
     * @return list<Subscription>
     */
    public function subscriptions(SubscriptionsBefore $asked = new SubscriptionsBefore()): array
    {
        return $this->perform(self::spec('subscriptions'), $asked, Subscriptions::read(...))->subscriptions;
    }

    /**
     * Announce the next debit now. A subscription, by the order that registered it, whose next
     * debit is announced now. The debit is made a day later, after its customer was notified. Never
     * repeated here: after a TransportError ask `subscription`. Raises StateRefusedError (120)
     * while another debit is announced. See docs/spec/payment-interfaces.md#subscription-
     * operations.
     */
    public function chargeSubscription(SubscriptionCharge $asked): Subscription
    {
        return $this->perform(self::spec('charge_subscription'), $asked, Subscription::read(...));
    }

    /**
     * Change a subscription. New terms of a subscription, by its order, within what the customer
     * approved. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-operations.
     */
    public function changeSubscription(SubscriptionChange $asked): Subscription
    {
        return $this->perform(self::spec('change_subscription'), $asked, Subscription::read(...));
    }

    /**
     * Pause a subscription. A subscription, by a name of the order that registered it; both names
     * must agree. Nothing is debited meanwhile, or made up for later. Never repeated here: after a
     * TransportError ask `subscription`. Raises StateRefusedError (120) unless active. See
     * docs/spec/payment-interfaces.md#subscription-operations.
     */
    public function pauseSubscription(SubscriptionName $asked): Subscription
    {
        return $this->perform(self::spec('pause_subscription'), $asked, Subscription::read(...));
    }

    /**
     * Resume a subscription. A subscription, by a name of the order that registered it; both names
     * must agree. Never repeated here; raises what `pause_subscription` raises. See
     * docs/spec/payment-interfaces.md#subscription-operations.
     */
    public function resumeSubscription(SubscriptionName $asked): Subscription
    {
        return $this->perform(self::spec('resume_subscription'), $asked, Subscription::read(...));
    }

    /**
     * Cancel a subscription. A subscription, by a name of the order that registered it; both names
     * must agree. It cannot be resumed. Safe to repeat. See docs/spec/payment-
     * interfaces.md#subscription-operations.
     */
    public function cancelSubscription(SubscriptionName $asked): Subscription
    {
        return $this->perform(self::spec('cancel_subscription'), $asked, Subscription::read(...));
    }

    /**
     * List a customer's saved cards. The customer whose saved cards to list, newest first. Safe to
     * repeat. See docs/spec/payment-interfaces.md#saved-cards.
     *
     * @return list<SavedCard>
     */
    public function savedCards(string $customerId): array
    {
        return $this->perform(self::spec('saved_cards'), new SavedCardsOf($customerId), SavedCards::read(...))->cards;
    }

    /**
     * Delete a saved card. The saved card to delete. It cannot be used to pay any more. Never
     * repeated here: after a TransportError ask `saved_cards`. Raises NotFoundError for a card you
     * do not have. See docs/spec/payment-interfaces.md#saved-cards.
     */
    public function deleteSavedCard(string $token): SavedCard
    {
        return $this->perform(self::spec('delete_saved_card'), new SavedCardName($token), SavedCard::read(...));
    }

    /**
     * Make a payment link. A new link, in paise. The same request under one reference makes one
     * link. Safe to repeat: the same reference makes one link. See docs/spec/payment-
     * interfaces.md#payment-links.
     */
    public function createLink(NewPaymentLink $asked): PaymentLink
    {
        return $this->perform(self::spec('create_link'), $asked, PaymentLink::read(...));
    }

    /**
     * Show a payment link. A payment link, by one of its names; both must agree. Safe to repeat.
     * See docs/spec/payment-interfaces.md#payment-links.
     */
    public function link(LinkName $asked): PaymentLink
    {
        return $this->perform(self::spec('link'), $asked, PaymentLink::read(...));
    }

    /**
     * List payment links. Payment links, newest first. See docs/spec/payment-interfaces.md#payment-
     * links.
     *
     * @return list<PaymentLink>
     */
    public function links(string $before = ''): array
    {
        return $this->perform(self::spec('links'), new LinksBefore($before), PaymentLinks::read(...))->links;
    }

    /**
     * Cancel a payment link. A payment link, by one of its names; both must agree. It cannot be
     * opened again. Safe to repeat. Raises StateRefusedError (120) for one that is paid. See
     * docs/spec/payment-interfaces.md#payment-links.
     */
    public function cancelLink(LinkName $asked): PaymentLink
    {
        return $this->perform(self::spec('cancel_link'), $asked, PaymentLink::read(...));
    }

    /**
     * List settlements. Settlements, newest first. Without their shares. Safe to repeat. See
     * docs/spec/payment-interfaces.md#settlement-operations.
     *
     * @return list<Settlement>
     */
    public function settlements(string $before = ''): array
    {
        return $this->perform(self::spec('settlements'), new SettlementsBefore($before), Settlements::read(...))->settlements;
    }

    /**
     * Show a settlement. The id of a settlement. With the shares in which it was paid out. Safe to
     * repeat. Raises NotFoundError for one that is not yours. See docs/spec/payment-
     * interfaces.md#settlement-operations.
     */
    public function settlement(string $settlementId): Settlement
    {
        return $this->perform(self::spec('settlement'), new SettlementName($settlementId), Settlement::read(...));
    }

    /**
     * List the items of a settlement. A settlement, whose items to list, oldest first. after:
     * `next` of the page before. Safe to repeat. Raises NotFoundError. See docs/spec/payment-
     * interfaces.md#settlement-operations.
     */
    public function settlementItems(SettlementItemsAfter $asked): SettlementItems
    {
        return $this->perform(self::spec('settlement_items'), $asked, SettlementItems::read(...));
    }

    /**
     * List payouts. Payouts, newest first. before: the last payout_id that you have, for those that
     * are older. Safe to repeat. See docs/spec/payment-interfaces.md#settlement-operations.
     *
     * @return list<Payout>
     */
    public function payouts(PayoutsBefore $asked = new PayoutsBefore()): array
    {
        return $this->perform(self::spec('payouts'), $asked, Payouts::read(...))->payouts;
    }

    /**
     * Show the next settlement. No fields: the terms are the sender's own. Payments of the last
     * minutes may be missing. Safe to repeat. See docs/spec/payment-interfaces.md#terms-operations.
     */
    public function nextSettlement(): NextSettlement
    {
        return $this->perform(self::spec('next_settlement'), new OwnTerms(), NextSettlement::read(...));
    }

    /**
     * List the prices in force. No fields: the terms are the sender's own. Safe to repeat. See
     * docs/spec/payment-interfaces.md#terms-operations.
     */
    public function priceList(): PriceList
    {
        return $this->perform(self::spec('price_list'), new OwnTerms(), PriceList::read(...));
    }

    /**
     * List the accounts that are paid out to. No fields: the terms are the sender's own. Safe to
     * repeat. Only an operator changes them. See docs/spec/payment-interfaces.md#terms-operations.
     *
     * @return list<BankAccount>
     */
    public function bankAccounts(): array
    {
        return $this->perform(self::spec('bank_accounts'), new OwnTerms(), BankAccounts::read(...))->accounts;
    }

    /**
     * Configure split settlement. How a transaction is shared. See docs/spec/payment-
     * interfaces.md#split.
     */
    public function split(SplitRequest $asked): SplitData
    {
        return $this->perform(self::spec('split'), $asked, SplitData::read(...));
    }

    /**
     * List disputes. Disputes, newest first. Without their phases and documents. Safe to repeat.
     * See docs/spec/payment-interfaces.md#dispute-operations.
     *
     * @return list<Dispute>
     */
    public function disputes(DisputesBefore $asked = new DisputesBefore()): array
    {
        return $this->perform(self::spec('disputes'), $asked, Disputes::read(...))->disputes;
    }

    /**
     * Show a dispute. The id of a dispute. Safe to repeat. Raises NotFoundError for one that is not
     * yours. See docs/spec/payment-interfaces.md#dispute-operations.
     */
    public function dispute(string $disputeId): Dispute
    {
        return $this->perform(self::spec('dispute'), new DisputeName($disputeId), Dispute::read(...));
    }

    /**
     * Add a document to the answer to a dispute. A document for the answer to a dispute. The same
     * document is kept once, so it is safe to repeat. Raises RefusedError (124) once it is answered
     * or over. See docs/spec/payment-interfaces.md#dispute-operations.
     */
    public function addEvidence(NewEvidence $asked): Evidence
    {
        return $this->perform(self::spec('add_evidence'), $asked, Evidence::read(...));
    }

    /**
     * Contest a dispute. The answer that contests a dispute: it needs a note or a document. The
     * bank decides. Safe to repeat: the same answer again changes nothing. Raises RefusedError
     * (124) after another answer, or after the deadline; (125) where the acquirer takes this answer
     * in its own dashboard alone. See docs/spec/payment-interfaces.md#dispute-operations.
     */
    public function contestDispute(DisputeContest $asked): Dispute
    {
        return $this->perform(self::spec('contest_dispute'), $asked, Dispute::read(...));
    }

    /**
     * Accept a dispute, wholly or in part. The answer that accepts a dispute, or only a part of it.
     * Repeats and raises as `contest_dispute` does. See docs/spec/payment-interfaces.md#dispute-
     * operations.
     */
    public function acceptDispute(DisputeAcceptance $asked): Dispute
    {
        return $this->perform(self::spec('accept_dispute'), $asked, Dispute::read(...));
    }

    /**
     * List notifications. Notifications, in the order of their events. Each as it is sent. Safe to
     * repeat. See docs/spec/payment-interfaces.md#notification-operations.
     */
    public function notifications(string $after = ''): AnnouncedPage
    {
        return $this->perform(self::spec('notifications'), new NotificationsAfter($after), AnnouncedPage::read(...));
    }
}
