<?php

declare(strict_types=1);

namespace Hundi\Shop;

/** What the plugin of a shop gives to the common part. */
interface Shop
{
    /** Return an order as it stands now, not as an earlier look had it. */
    public function order(string $id): ?ShopOrder;

    /** Write a line to the shop's log; it holds no secret. */
    public function log(string $line): void;
}
