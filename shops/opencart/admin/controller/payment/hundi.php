<?php

declare(strict_types=1);

namespace Opencart\Admin\Controller\Extension\Hundi\Payment;

use Hundi\HundiException;
use Hundi\Money;
use Hundi\OpenCart\Site;
use Hundi\Shop\Busy;
use Hundi\Shop\ConnectionTest;
use Hundi\Shop\Refunds;
use Hundi\Shop\Settings;

require_once DIR_EXTENSION . 'hundi/system/library/opencart/load.php';

/** Settings, the test of the connection, and refunds from the order's screen. */
class Hundi extends \Opencart\System\Engine\Controller
{
    private const ROUTE = 'extension/hundi/payment/hundi';

    public function index(): void
    {
        $this->load->language(self::ROUTE);
        $this->load->model('localisation/order_status');
        $this->document->setTitle($this->language->get('heading_title'));
        $shop = defined('HTTP_CATALOG') ? HTTP_CATALOG : '';
        $route = "{$shop}index.php?route=" . self::ROUTE;
        $token = (new Site($this->registry))->settings()->jobToken();
        $this->response->setOutput($this->load->view(self::ROUTE, [
            'header' => $this->load->controller('common/header'),
            'column_left' => $this->load->controller('common/column_left'),
            'footer' => $this->load->controller('common/footer'),
            'save' => $this->own('.save'),
            'test' => $this->own('.test'),
            'fields' => $this->fields(),
            'statuses' => $this->statuses(),
            'order_statuses' => $this->model_localisation_order_status->getOrderStatuses(),
            'enabled' => $this->config->get(Site::CODE . '_status'),
            'sort_order' => $this->config->get(Site::CODE . '_sort_order'),
            'addresses' => [
                $this->language->get('entry_return') => "$route.back",
                $this->language->get('entry_notification') => "$route.notification",
                $this->language->get('entry_job') => "$route.ask&token=$token",
            ],
            ...$this->texts(),
        ]));
    }

    public function save(): void
    {
        $this->load->language(self::ROUTE);
        if (!$this->user->hasPermission('modify', self::ROUTE)) {
            $this->answer(['error' => ['warning' => $this->language->get('error_permission')]]);
            return;
        }
        $typed = $this->request->post;
        foreach (Settings::FIELDS as $name => [, , $isSecret]) {
            $key = Site::CODE . "_$name";
            $value = html_entity_decode(trim((string) ($typed[$key] ?? '')), ENT_QUOTES, 'UTF-8');
            // A secret goes in, and no page shows it again: an empty field leaves it as it was.
            $typed[$key] = $isSecret && $value === '' ? (string) $this->config->get($key) : $value;
        }
        $this->load->model('setting/setting');
        $this->model_setting_setting->editSetting(Site::CODE, $typed);
        $this->answer(['success' => $this->language->get('text_success')]);
    }

    public function test(): void
    {
        $this->load->language(self::ROUTE);
        if (!$this->user->hasPermission('modify', self::ROUTE)) {
            $this->answer(['error' => $this->language->get('error_permission')]);
            return;
        }
        $problem = ConnectionTest::problem((new Site($this->registry))->settings());
        $this->answer($problem === '' ? ['success' => $this->language->get('text_connected')] : ['error' => $problem]);
    }

    /** The tab of the order's screen. */
    public function order(): string
    {
        $this->load->language(self::ROUTE);
        $site = new Site($this->registry);
        $orderId = (string) ($this->request->get['order_id'] ?? 0);
        $attempts = $site->books()->attempts($orderId);
        $refunds = array_merge(...array_map(fn ($each) => $site->books()->refunds($each->reference), $attempts));
        $order = $site->order($orderId);
        return $this->load->view(self::ROUTE . '_order', [
            'attempts' => $attempts,
            'refunds' => array_map(static fn ($row) => ['amount' => Money::text((int) $row['amount_paise'])] + $row, $refunds),
            'seen' => $order === null ? 0 : (new Refunds($site->desk()))->count($order),
            'refund' => $this->own('.refund') . '&order_id=' . (int) $orderId,
            ...$this->texts(),
        ]);
    }

    public function refund(): void
    {
        $this->load->language(self::ROUTE);
        $site = new Site($this->registry);
        $order = $site->order((string) ($this->request->get['order_id'] ?? 0));
        $paise = Money::paiseIn(trim((string) ($this->request->post['amount'] ?? '')));
        if (!$this->user->hasPermission('modify', self::ROUTE)) {
            $this->answer(['error' => $this->language->get('error_permission')]);
        } elseif ($order === null || $paise <= 0 || $paise > $order->amountPaise()) {
            $this->answer(['error' => $this->language->get('error_amount')]);
        } else {
            try {
                $seen = (int) ($this->request->post['seen'] ?? -1);
                $refund = (new Refunds($site->desk()))->refund($order, $paise, $seen);
                $order->note(sprintf($this->language->get('text_begun'), $refund, Money::text($paise)));
                $this->answer(['success' => sprintf($this->language->get('text_begun'), $refund, Money::text($paise))]);
            } catch (HundiException | Busy $error) {
                $this->answer(['error' => $site->settings()->told($error)]);
            }
        }
    }

    public function install(): void
    {
        (new Site($this->registry))->books()->create();
    }

    /** OpenCart takes the settings away; the tables of payments stay with the orders that they prove. */
    public function uninstall(): void
    {
        $this->load->model('setting/setting');
        $this->model_setting_setting->deleteSetting(Site::CODE);
    }

    /** @return list<array<string, mixed>> */
    private function fields(): array
    {
        $found = [];
        foreach (Settings::FIELDS as $name => [$label, $help, $isSecret]) {
            $value = (string) $this->config->get(Site::CODE . "_$name");
            $found[] = [
                'name' => Site::CODE . "_$name",
                'label' => $this->said("entry_$name", $label),
                'help' => $this->said("help_$name", $help),
                'secret' => $isSecret,
                'value' => $isSecret ? '' : ($value ?: ($name === 'prefix' ? 'OC' : '')),
                'placeholder' => $isSecret && $value !== '' ? $this->language->get('text_saved') : '',
            ];
        }
        return $found;
    }

    /** @return list<array<string, mixed>> */
    private function statuses(): array
    {
        $found = [];
        foreach (Site::STATUSES as $what => [$label, $default]) {
            $name = Site::CODE . "_{$what}_status_id";
            $chosen = (int) $this->config->get($name) ?: $default;
            $found[] = ['name' => $name, 'label' => $this->said("entry_$what", $label), 'chosen' => $chosen];
        }
        return $found;
    }

    /** @return array<string, string> */
    private function texts(): array
    {
        $names = ['heading_title', 'text_addresses', 'button_save', 'button_test', 'button_refund', 'entry_status', 'entry_sort_order', 'entry_amount', 'text_payments'];
        return array_combine($names, array_map($this->language->get(...), $names));
    }

    /** Return a text of the language, or the English one where a translation has none. */
    private function said(string $key, string $english): string
    {
        $found = $this->language->get($key);
        return $found === $key ? $english : $found;
    }

    private function own(string $method): string
    {
        return $this->url->link(self::ROUTE . $method, 'user_token=' . $this->session->data['user_token']);
    }

    /**
     * OpenCart's script puts these words into the page as they are.
     *
     * @param array<string, mixed> $json
     */
    private function answer(array $json): void
    {
        array_walk_recursive($json, static fn (&$said) => $said = htmlspecialchars((string) $said, ENT_QUOTES, 'UTF-8'));
        $this->response->addHeader('Content-Type: application/json');
        $this->response->setOutput(json_encode($json, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
    }
}
