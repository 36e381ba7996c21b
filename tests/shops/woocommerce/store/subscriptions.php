<?php

// What our plugin calls of "WooCommerce Subscriptions". A subscription is an order of another kind;
// the first order and the renewals name it.

declare(strict_types=1);

function wcs_order_contains_subscription($order, $order_type = ['parent', 'resubscribe', 'switch'])
{
    return isset($order->all()['subscription']);
}

function wcs_get_subscriptions_for_order($order, $args = [])
{
    return [WC_Order::find((int) $order->all()['subscription'])];
}

function wcs_get_subscriptions_for_renewal_order($order)
{
    return [WC_Order::find((int) $order->all()['renewal_of'])];
}
