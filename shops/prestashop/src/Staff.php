<?php

declare(strict_types=1);

namespace Hundi\PrestaShop;

use Hundi\HundiException;
use Hundi\Money;
use Hundi\Shop\Busy;
use Hundi\Shop\ConnectionTest;
use Hundi\Shop\Refunds;
use Hundi\Shop\Settings;

/** What the shop's staff see: settings, the test of the connection, refunds. */
final class Staff
{
    private const ADDRESSES = [
        'Success and failure address' => 'back',
        'Notification address' => 'notification',
    ];

    public function __construct(private readonly \Hundi $module)
    {
    }

    /** The page of the settings, after doing what its buttons ask for. */
    public function page(): string
    {
        $said = match (true) {
            \Tools::isSubmit('hundiSave') => $this->save(),
            \Tools::isSubmit('hundiTest') => $this->test(),
            \Tools::isSubmit('hundiRefund') => $this->refund(),
            default => '',
        };
        return $said . $this->form() . $this->addresses();
    }

    public function orderPanel(int $orderId): string
    {
        $order = (new Site())->order((string) $orderId);
        if (!$order instanceof Order || $order->order->module !== Site::MODULE) {
            return '';
        }
        $lines = '';
        foreach (Site::books()->attempts($order->id()) as $attempt) {
            $lines .= $this->line("$attempt->reference: $attempt->state $attempt->transactionId");
            foreach (Site::books()->refunds($attempt->reference) as $refund) {
                $amount = Money::text((int) $refund['amount_paise']);
                $lines .= $this->line("{$refund['request_id']}: $amount {$refund['state']}");
            }
        }
        return '<div class="card"><h3 class="card-header">Hundi</h3><div class="card-body"><ul>' . $lines . '</ul>'
            . '<form method="post" action="' . htmlspecialchars($this->own()) . '">'
            . '<input type="hidden" name="id_order" value="' . $orderId . '">'
            . '<input type="hidden" name="seen" value="' . (new Refunds(Site::desk()))->count($order) . '">'
            . '<label>' . $this->text('Amount') . ' <input name="amount" inputmode="decimal"></label> '
            . '<button class="btn btn-danger" name="hundiRefund" value="1">' . $this->text('Refund') . '</button></form></div></div>';
    }

    private function save(): string
    {
        foreach (Settings::FIELDS as $name => [, , $isSecret]) {
            $typed = trim((string) \Tools::getValue(Site::key($name), ''));
            // A secret goes in, and no page shows it again: an empty field leaves it as it was.
            if (!$isSecret || $typed !== '') {
                \Configuration::updateValue(Site::key($name), $typed);
            }
        }
        return $this->module->displayConfirmation($this->text('The settings are saved.'));
    }

    private function test(): string
    {
        $problem = ConnectionTest::problem(Site::settings());
        return $problem === ''
            ? $this->module->displayConfirmation($this->text('The connection works.'))
            : $this->module->displayError(htmlspecialchars($problem));
    }

    private function refund(): string
    {
        $order = (new Site())->order((string) \Tools::getValue('id_order'));
        $paise = Money::paiseIn(trim((string) \Tools::getValue('amount')));
        if ($order === null || $paise <= 0 || $paise > $order->amountPaise()) {
            return $this->module->displayError($this->text('The amount is a decimal above zero, and not above that of the order.'));
        }
        $desk = Site::desk();
        try {
            $refund = (new Refunds($desk))->refund($order, $paise, (int) \Tools::getValue('seen', -1));
        } catch (HundiException | Busy $error) {
            return $this->module->displayError(htmlspecialchars($desk->settings->told($error)));
        }
        $amount = Money::text($paise);
        $order->note("Hundi: refund $refund of $amount is begun.");
        return $this->module->displayConfirmation(htmlspecialchars("$refund: $amount"));
    }

    private function form(): string
    {
        $inputs = [];
        $values = [];
        foreach (Settings::FIELDS as $name => [$label, $help, $isSecret]) {
            $inputs[] = [
                'type' => $isSecret ? 'password' : 'text',
                'name' => Site::key($name),
                'label' => $this->module->said($label),
                'desc' => $this->module->said($help),
            ];
            $saved = (string) \Configuration::get(Site::key($name));
            $values[Site::key($name)] = $isSecret ? '' : ($saved ?: ($name === 'prefix' ? 'PS' : ''));
        }
        $helper = new \HelperForm();
        $helper->module = $this->module;
        $helper->submit_action = 'hundiSave';
        $helper->currentIndex = $this->own();
        $helper->token = \Tools::getAdminTokenLite('AdminModules');
        $helper->fields_value = $values;
        $save = ['title' => $this->module->said('Save')];
        $legend = ['title' => $this->module->said('Settings')];
        return $helper->generateForm([['form' => ['legend' => $legend, 'input' => $inputs, 'submit' => $save]]]);
    }

    private function addresses(): string
    {
        $lines = '';
        foreach (self::ADDRESSES as $label => $controller) {
            $lines .= $this->line($this->module->said($label) . ': ' . Site::page($controller));
        }
        $job = Site::page('ask', ['token' => Site::settings()->jobToken()]);
        $lines .= $this->line($this->module->said('For your cron, every 15 minutes') . ": $job");
        return '<div class="panel"><ul>' . $lines . '</ul><form method="post" action="' . htmlspecialchars($this->own()) . '">'
            . '<button class="btn btn-default" name="hundiTest" value="1">' . $this->text('Test the saved connection') . '</button></form></div>';
    }

    private function own(): string
    {
        return \Context::getContext()->link->getAdminLink('AdminModules', true, [], ['configure' => Site::MODULE]);
    }

    private function line(string $text): string
    {
        return '<li>' . htmlspecialchars($text) . '</li>';
    }

    private function text(string $english): string
    {
        return htmlspecialchars($this->module->said($english));
    }
}
