<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\HundiException;
use Hundi\Kind;
use Hundi\OrderMandate;
use Hundi\Shop\Attempt;
use Hundi\Subscription;
use Hundi\SubscriptionCharge;
use Hundi\SubscriptionName;

/**
 * Subscriptions of "WooCommerce Subscriptions": its calendar asks for each debit, so the mandate is
 * one for debits as presented. A debit is announced to the customer, and made a day later.
 */
final class Renewals
{
    private const AS_PRESENTED = 'A';

    public static function hook(): void
    {
        $method = Site::METHOD;
        add_action("woocommerce_scheduled_subscription_payment_$method", [self::class, 'charge'], 10, 2);
        add_action("woocommerce_subscription_cancelled_$method", [self::class, 'cancel']);
    }

    /** Return what the customer of an order approves for later debits, or null for a sale. */
    public static function mandate(\WC_Order $order): ?OrderMandate
    {
        $isFirst = function_exists('wcs_order_contains_subscription')
            && wcs_order_contains_subscription($order, ['parent', 'resubscribe']);
        if (!$isFirst) {
            return null;
        }
        $total = 0;
        foreach (wcs_get_subscriptions_for_order($order, ['order_type' => ['parent', 'resubscribe']]) as $subscription) {
            $total += Order::paise($subscription->get_total());
        }
        return new OrderMandate(self::AS_PRESENTED, $total);
    }

    /** Ask for the debit of a renewal. */
    public static function charge(float|string $amount, \WC_Order $renewal): void
    {
        $order = new Order($renewal);
        $desk = Site::desk();
        try {
            $desk->books->locked($order->id(), static fn () => self::chargeLocked($order, Order::paise($amount)));
        } catch (HundiException $error) {
            $text = $desk->settings->told($error);
            if ($error->kind === Kind::OutcomeUnknown) {
                // Whether it was announced is not known: a person looks before anybody asks again.
                $order->review("Hundi: $text");
            } else {
                $renewal->update_status('failed', "Hundi: $text");
            }
        }
    }

    /** End the mandate with the subscription. */
    public static function cancel(\WC_Order $subscription): void
    {
        $paid = self::firstPayment($subscription);
        if ($paid === null) {
            return;
        }
        $desk = Site::desk();
        try {
            $desk->settings->client()->cancelSubscription(new SubscriptionName($paid->transactionId));
            $subscription->add_order_note(__('Hundi: the mandate is ended.', 'hundi-payments'));
        } catch (HundiException $error) {
            $subscription->add_order_note("Hundi: {$desk->settings->told($error)}");
        }
    }

    private static function chargeLocked(Order $renewal, int $amountPaise): void
    {
        $desk = Site::desk();
        if ($renewal->isPaid() || $desk->books->attempts($renewal->id()) !== []) {
            return; // its debit is asked for
        }
        $paid = self::paymentOf($renewal->order);
        if ($paid === null) {
            throw HundiException::configuration('no mandate of this subscription came in by Hundi');
        }
        $asked = new SubscriptionCharge($paid->transactionId, amountPaise: $amountPaise);
        $period = self::latest($desk->settings->client()->chargeSubscription($asked));
        $desk->books->begin(
            Attempt::debit($paid->transactionId, $period, $renewal->id(), $amountPaise, $renewal->currency()),
        );
        $text = __('Hundi: the customer is told of the debit, which is made a day later.', 'hundi-payments');
        $renewal->order->update_status('on-hold', $text);
    }

    private static function latest(Subscription $subscription): int
    {
        $periods = array_map(static fn ($debit): int => $debit->period, $subscription->debits);
        return $periods === [] ? throw HundiException::noAnswer(Kind::UnreadableReply, 'no debit was announced') : max($periods);
    }

    private static function paymentOf(\WC_Order $renewal): ?Attempt
    {
        foreach (wcs_get_subscriptions_for_renewal_order($renewal) as $subscription) {
            $found = self::firstPayment($subscription);
            if ($found !== null) {
                return $found;
            }
        }
        return null;
    }

    private static function firstPayment(\WC_Order $subscription): ?Attempt
    {
        foreach (Site::books()->attempts((string) $subscription->get_parent_id()) as $attempt) {
            if ($attempt->isHandedOver()) {
                return $attempt;
            }
        }
        return null;
    }
}
