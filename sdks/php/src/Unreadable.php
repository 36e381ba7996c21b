<?php

declare(strict_types=1);

namespace Hundi;

/** A text that is no JSON object that is accepted, or a message that cannot be opened. */
final class Unreadable extends \Exception
{
}
