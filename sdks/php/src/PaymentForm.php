<?php

declare(strict_types=1);

namespace Hundi;

/**
 * The form that a customer's browser posts to reach the payment page. Never store or log it: the
 * address carries an access token.
 */
final class PaymentForm
{
    /** @param array<string, string> $fields */
    public function __construct(public readonly string $actionUrl, public readonly array $fields)
    {
    }

    /** Return a whole HTML page that submits itself, with a button where scripts are off. */
    public function html(string $nonce = '', string $title = 'Going to the payment page', string $button = 'Continue to pay'): string
    {
        $escape = static fn (string $text) => htmlspecialchars($text, ENT_QUOTES | ENT_HTML5);
        $inputs = '';
        foreach ($this->fields as $name => $value) {
            $inputs .= "<input type=\"hidden\" name=\"{$escape($name)}\" value=\"{$escape($value)}\">\n";
        }
        $nonceAttribute = $nonce === '' ? '' : " nonce=\"{$escape($nonce)}\"";
        // The policy "origin" shows the gateway which shop sent the customer, but no private page.
        return <<<HTML
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="origin">
            <title>{$escape($title)}</title>
            </head>
            <body>
            <form id="hundi-payment" method="post" action="{$escape($this->actionUrl)}" accept-charset="utf-8">
            $inputs<p>{$escape($title)}…</p>
            <button type="submit">{$escape($button)}</button>
            </form>
            <script$nonceAttribute>document.getElementById("hundi-payment").submit()</script>
            </body>
            </html>

            HTML;
    }
}
