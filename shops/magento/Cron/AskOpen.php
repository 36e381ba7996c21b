<?php

declare(strict_types=1);

namespace Hundi\Payments\Cron;

use Hundi\Payments\Model\Site;

/** Asks about payments whose end was never told. */
class AskOpen
{
    public function __construct(private readonly Site $site)
    {
    }

    public function execute(): void
    {
        $this->site->desk()->askOpen();
    }
}
