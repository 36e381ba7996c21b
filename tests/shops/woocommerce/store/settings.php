<?php

declare(strict_types=1);

/** Settings of a payment method: fields, what is saved, and the form. */
abstract class WC_Settings_API
{
    public $id = '';
    public $settings = [];
    public $form_fields = [];

    public function get_option_key()
    {
        return "woocommerce_{$this->id}_settings";
    }

    public function init_settings()
    {
        $saved = get_option($this->get_option_key(), null);
        $defaults = array_map(static fn ($field) => $field['default'] ?? '', $this->form_fields);
        $this->settings = is_array($saved) ? $saved : $defaults;
    }

    public function get_option($key, $empty_value = null)
    {
        return $this->settings[$key] ?? $this->form_fields[$key]['default'] ?? '';
    }

    public function get_field_key($key)
    {
        return "woocommerce_{$this->id}_$key";
    }

    public function process_admin_options()
    {
        $this->init_settings();
        $posted = wp_unslash($_POST);
        foreach ($this->form_fields as $key => $field) {
            $value = $posted[$this->get_field_key($key)] ?? null;
            $own = "validate_{$field['type']}_field";
            $this->settings[$key] = match (true) {
                method_exists($this, $own) => $this->{$own}($key, $value),
                $field['type'] === 'checkbox' => $value === null ? 'no' : 'yes',
                default => trim((string) $value),
            };
        }
        return update_option($this->get_option_key(), $this->settings, 'yes');
    }

    public function admin_options()
    {
        foreach ($this->form_fields as $key => $field) {
            $own = "generate_{$field['type']}_html";
            $name = esc_attr($this->get_field_key($key));
            $value = esc_attr((string) $this->get_option($key));
            echo method_exists($this, $own)
                ? $this->{$own}($key, $field)
                : "<p>{$field['title']} <input name=\"$name\" value=\"$value\"></p>";
        }
    }
}
