<?php

declare(strict_types=1);

namespace Hundi\OpenCart;

use Hundi\Shop\Books;
use Hundi\Shop\PaymentDesk;
use Hundi\Shop\Settings;
use Hundi\Shop\Shop;
use Hundi\Shop\ShopOrder;

/** OpenCart as the common part sees it, from the side of customers or of staff. */
final class Site implements Shop
{
    public const CODE = 'payment_hundi';
    /** The statuses of a new OpenCart for each thing that can become of an order. */
    public const STATUSES = [
        'paid' => ['Status when it is paid', 2],
        'waiting' => ['Status while the bank has not answered', 1],
        'unpaid' => ['Status when it ended unpaid', 10],
        'review' => ['Status when a person has to look', 1],
    ];

    /** @param object $registry of OpenCart, with `db`, `config`, `currency` and `log` */
    public function __construct(private readonly object $registry)
    {
    }

    public function settings(): Settings
    {
        $typed = [];
        foreach (array_keys(Settings::FIELDS) as $name) {
            $typed[$name] = $this->registry->get('config')->get(self::CODE . "_$name");
        }
        return new Settings($typed);
    }

    public function books(): Books
    {
        return new Books(new Database($this->registry->get('db')), DB_PREFIX);
    }

    public function desk(): PaymentDesk
    {
        return new PaymentDesk($this->settings(), $this->books(), $this);
    }

    public function order(string $id): ?ShopOrder
    {
        $sql = 'SELECT * FROM `' . DB_PREFIX . 'order` WHERE order_id = ' . (int) $id;
        $found = $this->registry->get('db')->query($sql)->row;
        return $found === [] ? null : new Order($found, $this->registry);
    }

    public function log(string $line): void
    {
        $this->registry->get('log')->write("Hundi: $line");
    }
}
