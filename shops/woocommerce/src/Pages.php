<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\HundiException;
use Hundi\Shop\Busy;

/** The addresses of the plugin: the way to the payment page, the way back, and the notification. */
final class Pages
{
    private const METHOD_NOT_ALLOWED = 405;
    private const SEE_OTHER = 303;

    public static function address(string $page): string
    {
        return WC()->api_request_url("hundi_$page");
    }

    public static function payAddress(\WC_Order $order): string
    {
        $named = ['order' => $order->get_id(), 'key' => $order->get_order_key()];
        return add_query_arg(array_map(rawurlencode(...), array_map(strval(...), $named)), self::address('pay'));
    }

    /** Send the customer to the payment page by a form that submits itself. */
    public static function pay(): void
    {
        nocache_headers();
        $order = wc_get_order(absint($_GET['order'] ?? 0));
        $key = sanitize_text_field(wp_unslash($_GET['key'] ?? ''));
        if (!$order instanceof \WC_Order || !hash_equals($order->get_order_key(), $key)) {
            self::say(__('There is no such order.', 'hundi-payments'), 404);
        }
        if (!$order->needs_payment()) {
            self::leadTo($order->get_checkout_order_received_url());
        }
        $desk = Site::desk();
        try {
            $form = $desk->begin(new Order($order));
        } catch (HundiException | Busy $error) {
            (new Site())->log("Order {$order->get_id()}: {$desk->settings->told($error)}");
            self::say(__('The payment page cannot be reached. Nothing was charged; please try again.', 'hundi-payments'), 503);
        }
        if ($form === null) {
            self::leadTo($order->get_checkout_order_received_url());
        }
        header('Content-Type: text/html; charset=utf-8');
        header('Referrer-Policy: origin');
        $title = __('Going to the payment page', 'hundi-payments');
        echo $form->html('', $title, __('Continue to pay', 'hundi-payments'));
        exit;
    }

    /** Take the customer back. */
    public static function comeBack(): void
    {
        nocache_headers();
        self::demandPost();
        $found = Site::desk()->takeReturn(wp_unslash($_POST));
        if ($found === null) {
            $text = __('We could not read what came back. If you have paid, your order will be confirmed as soon as the gateway tells us.', 'hundi-payments');
            self::say($text, 400);
        }
        $order = wc_get_order((int) $found->id());
        $isFailed = $order->has_status('failed');
        $again = add_query_arg('hundi', 'unpaid', $order->get_checkout_payment_url());
        self::leadTo($isFailed ? $again : $order->get_checkout_order_received_url());
    }

    /** Take a notification. */
    public static function listen(): void
    {
        self::demandPost();
        status_header(Site::desk()->takeNotification(getallheaders(), (string) file_get_contents('php://input')));
        exit;
    }

    /** Above the form to pay again. */
    public static function sayUnpaid(): void
    {
        if (($_GET['hundi'] ?? '') === 'unpaid') {
            wc_print_notice(__('The payment did not succeed. You can try again.', 'hundi-payments'), 'error');
        }
    }

    private static function demandPost(): void
    {
        if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
            status_header(self::METHOD_NOT_ALLOWED);
            header('Allow: POST');
            exit;
        }
    }

    /** The browser comes with GET, so that it brings the shop's cookies. */
    private static function leadTo(string $address): never
    {
        wp_safe_redirect($address, self::SEE_OTHER);
        exit;
    }

    private static function say(string $text, int $status): never
    {
        wp_die(esc_html($text), esc_html__('Your payment', 'hundi-payments'), ['response' => $status]);
        exit;
    }
}
