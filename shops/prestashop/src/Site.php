<?php

declare(strict_types=1);

namespace Hundi\PrestaShop;

use Hundi\Shop\Books;
use Hundi\Shop\PaymentDesk;
use Hundi\Shop\Settings;
use Hundi\Shop\Shop;
use Hundi\Shop\ShopOrder;

/** PrestaShop as the common part sees it. */
final class Site implements Shop
{
    public const MODULE = 'hundi';
    /** The state of an order whose payment has begun. */
    public const WAITING = 'HUNDI_STATE_WAITING';
    private const COLOUR = '#34209E';
    private const WARNING = 2;

    /** Return under which name a field of the settings is kept. */
    public static function key(string $field): string
    {
        return 'HUNDI_' . strtoupper($field);
    }

    public static function settings(): Settings
    {
        $typed = [];
        foreach (array_keys(Settings::FIELDS) as $name) {
            $typed[$name] = \Configuration::get(self::key($name));
        }
        return new Settings($typed);
    }

    public static function books(): Books
    {
        return new Books(new Database(), _DB_PREFIX_);
    }

    public static function desk(): PaymentDesk
    {
        return new PaymentDesk(self::settings(), self::books(), new self());
    }

    /** @param array<string, string|int> $named */
    public static function page(string $controller, array $named = []): string
    {
        return \Context::getContext()->link->getModuleLink(self::MODULE, $controller, $named, true);
    }

    public static function addState(): bool
    {
        if ((int) \Configuration::get(self::WAITING) !== 0) {
            return true;
        }
        $state = new \OrderState();
        $state->name = [];
        foreach (\Language::getLanguages(false) as $language) {
            $state->name[$language['id_lang']] = 'Awaiting payment by Hundi';
        }
        $state->color = self::COLOUR;
        $state->module_name = self::MODULE;
        $state->unremovable = true;
        return $state->add() && \Configuration::updateValue(self::WAITING, (int) $state->id);
    }

    /** Take the settings away. */
    public static function forget(): void
    {
        foreach (array_keys(Settings::FIELDS) as $name) {
            \Configuration::deleteByName(self::key($name));
        }
    }

    public function order(string $id): ?ShopOrder
    {
        $found = new \Order((int) $id);
        return \Validate::isLoadedObject($found) ? new Order($found) : null;
    }

    public function log(string $line): void
    {
        \PrestaShopLogger::addLog("Hundi: $line", self::WARNING, null, 'Module', null, true);
    }
}
