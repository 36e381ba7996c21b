<?php

declare(strict_types=1);

function wc_get_order($the_order = false)
{
    return WC_Order::find((int) $the_order) ?? false;
}

function get_woocommerce_currency()
{
    return 'INR';
}

function wc_add_notice($message, $notice_type = 'success', $data = [])
{
    $GLOBALS['store_notices'][] = $message;
}

function wc_print_notice($message, $notice_type = 'success', $data = [])
{
    echo '<div class="woocommerce-' . esc_attr($notice_type) . '">' . wp_kses_post($message) . '</div>';
}

/** Writes a line a message into wp-content/wc.log. */
final class StoreLog
{
    public function warning($message, $context = [])
    {
        file_put_contents(WP_CONTENT_DIR . '/wc.log', "{$context['source']} $message\n", FILE_APPEND);
    }
}

function wc_get_logger()
{
    return new StoreLog();
}

/** As documented: a refund that the payment method refuses is taken away again. */
function wc_create_refund($args = [])
{
    $order = wc_get_order($args['order_id']);
    if ((float) $args['amount'] + $order->get_total_refunded() > (float) $order->get_total()) {
        return new WP_Error('error', 'Invalid refund amount.');
    }
    if ($args['refund_payment'] ?? false) {
        $method = WooCommerce::methods()[$order->get_payment_method()];
        $result = $method->process_refund($order->get_id(), $args['amount'], $args['reason'] ?? '');
        if (is_wp_error($result) || $result !== true) {
            return is_wp_error($result) ? $result : new WP_Error('error', 'An error occurred.');
        }
    }
    $refund = ['amount' => $args['amount'], 'reason' => $args['reason'] ?? '', 'payment' => $args['refund_payment'] ?? false];
    $order->append('refunds', $refund);
    return $order;
}
