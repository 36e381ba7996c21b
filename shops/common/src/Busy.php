<?php

declare(strict_types=1);

namespace Hundi\Shop;

/** Another request works on the same order: the same call later can succeed. */
final class Busy extends \RuntimeException
{
}
