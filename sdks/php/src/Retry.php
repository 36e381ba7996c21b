<?php

declare(strict_types=1);

namespace Hundi;

/** Whether the same call can succeed if it is made again. */
enum Retry: string
{
    case Never = 'never';
    case AfterFix = 'after_fix';
    case Later = 'later';
}
