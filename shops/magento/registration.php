<?php

declare(strict_types=1);

require_once __DIR__ . '/lib/autoload.php';

\Magento\Framework\Component\ComponentRegistrar::register(
    \Magento\Framework\Component\ComponentRegistrar::MODULE,
    'Hundi_Payments',
    __DIR__,
);
