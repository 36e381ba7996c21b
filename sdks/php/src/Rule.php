<?php

declare(strict_types=1);

namespace Hundi;

/** Whether a field has to be there, and whether a refusal may repeat it. */
enum Rule
{
    case Optional;
    case Required;
    case Secret;
    case OptionalSecret;
}
