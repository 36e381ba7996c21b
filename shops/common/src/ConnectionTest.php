<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\Expected;
use Hundi\HundiException;
use Hundi\Kind;

/** Tries a shop's settings at the gateway; nothing is written there. */
final class ConnectionTest
{
    /** Return what is wrong, as a sentence for the shop's owner, or "" when everything works. */
    public static function problem(Settings $settings): string
    {
        $field = $settings->wrongField();
        if ($field !== '') {
            return "$field: it is missing, or has another form.";
        }
        try {
            $client = $settings->client();
            $client->accessToken('page');
            $client->verify(new Expected($settings->prefix() . '-test-' . bin2hex(random_bytes(6)), 100));
        } catch (HundiException $error) {
            // That nothing is found under a random number was said under the right keys.
            return $error->kind === Kind::NotFound ? '' : $settings->told($error);
        }
        return 'The gateway answered about an order that cannot exist.';
    }
}
