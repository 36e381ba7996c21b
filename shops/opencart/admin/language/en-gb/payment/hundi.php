<?php

// Labels of the fields have a key too: entry_ and help_ with the field's name; without one English is shown.

$_['heading_title'] = 'Hundi';
$_['text_hundi'] = 'Hundi';
$_['text_success'] = 'The settings are saved.';
$_['text_connected'] = 'The connection works.';
$_['text_saved'] = 'saved; type another one to change it';
$_['text_begun'] = 'Hundi: refund %s of %s is begun.';
$_['text_addresses'] = 'Addresses to enter in the console of the gateway, and the one for your cron';
$_['text_payments'] = 'Payments and refunds';
$_['entry_return'] = 'Success and failure address';
$_['entry_notification'] = 'Notification address';
$_['entry_job'] = 'To be called every 15 minutes';
$_['entry_status'] = 'Enabled';
$_['entry_sort_order'] = 'Sort order';
$_['entry_amount'] = 'Amount';
$_['button_save'] = 'Save';
$_['button_test'] = 'Test the saved connection';
$_['button_refund'] = 'Refund';
$_['error_permission'] = 'You may not change this.';
$_['error_amount'] = 'The amount is a decimal above zero, and not above that of the order.';
