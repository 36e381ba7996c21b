<?php

declare(strict_types=1);

namespace Opencart\Catalog\Controller\Extension\Hundi\Payment;

use Hundi\HundiException;
use Hundi\OpenCart\Site;
use Hundi\Shop\Busy;

require_once DIR_EXTENSION . 'hundi/system/library/opencart/load.php';

/** The customer's way to the payment page and back, and the notification. */
class Hundi extends \Opencart\System\Engine\Controller
{
    private const ROUTE = 'extension/hundi/payment/hundi';
    private const SEE_OTHER = 303;

    /** The button of the checkout's last step. */
    public function index(): string
    {
        $this->load->language(self::ROUTE);
        return $this->load->view(self::ROUTE, [
            'pay' => $this->url->link(self::ROUTE . '.pay', 'language=' . $this->config->get('config_language'), true),
            'button_confirm' => $this->language->get('button_confirm'),
            'text_next' => $this->language->get('text_next'),
        ]);
    }

    /** Send the customer to the payment page by a form that submits itself. */
    public function pay(): void
    {
        $this->load->language(self::ROUTE);
        $site = $this->site();
        $method = $this->session->data['payment_method']['code'] ?? '';
        $order = $site->order((string) ($this->session->data['order_id'] ?? 0));
        if ($order === null || $method !== 'hundi.hundi' || $order->isPaid()) {
            $this->response->redirect($this->page('checkout/checkout'));
            return;
        }
        try {
            $form = $site->desk()->begin($order);
        } catch (HundiException | Busy $error) {
            $site->log("Order {$order->id()}: {$site->settings()->told($error)}");
            $this->session->data['error'] = $this->language->get('error_unreachable');
            $this->response->redirect($this->page('checkout/failure'));
            return;
        }
        if ($form === null) {
            $this->response->redirect($this->page('checkout/success'));
            return;
        }
        $this->response->addHeader('Cache-Control: no-store');
        $this->response->addHeader('Referrer-Policy: origin');
        $title = $this->language->get('text_going');
        $this->response->setOutput($form->html('', $title, $this->language->get('button_continue_to_pay')));
    }

    /** Take the customer back. The browser then comes with GET, so that it brings the shop's cookies. */
    public function back(): void
    {
        $site = $this->site();
        // OpenCart escapes what is posted; the signed text must be as it came.
        $typed = array_filter($this->request->post, is_string(...));
        $form = array_map(fn ($value) => html_entity_decode($value, ENT_QUOTES, 'UTF-8'), $typed);
        $order = $site->desk()->takeReturn($form);
        $isWaiting = $order !== null && !$order->isPaid() && $this->mayBecomePaid($site, $order->id());
        $isDone = $order !== null && ($order->isPaid() || $isWaiting);
        $this->response->redirect($this->page($isDone ? 'checkout/success' : 'checkout/failure'), self::SEE_OTHER);
    }

    /** Take a notification. */
    public function notification(): void
    {
        $status = $this->site()->desk()->takeNotification(getallheaders(), (string) file_get_contents('php://input'));
        $this->response->addHeader("HTTP/1.1 $status " . ($status === 200 ? 'OK' : 'Refused'));
        $this->response->setOutput('');
    }

    /** Ask about payments whose end was never told; for the system's cron. */
    public function ask(): void
    {
        $site = $this->site();
        if (hash_equals($site->settings()->jobToken(), (string) ($this->request->get['token'] ?? ''))) {
            $site->desk()->askOpen();
            $this->response->setOutput('asked');
        } else {
            $this->response->addHeader('HTTP/1.1 403 Forbidden');
        }
    }

    private function site(): Site
    {
        $this->load->model('checkout/order');
        return new Site($this->registry);
    }

    private function mayBecomePaid(Site $site, string $orderId): bool
    {
        $latest = $site->books()->attempts($orderId)[0] ?? null;
        return $latest !== null && $latest->state === \Hundi\Shop\Attempt::BEGUN;
    }

    private function page(string $route): string
    {
        return $this->url->link($route, 'language=' . $this->config->get('config_language'), true);
    }
}
