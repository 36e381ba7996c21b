<?php

$_['heading_title'] = 'UPI, card or net banking';
$_['text_next'] = 'You pay on the next page.';
$_['text_going'] = 'Going to the payment page';
$_['button_confirm'] = 'Confirm order';
$_['button_continue_to_pay'] = 'Continue to pay';
$_['error_unreachable'] = 'The payment page cannot be reached. Nothing was charged; please try again.';
