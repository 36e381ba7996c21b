<?php

// Loads the classes of a packed plugin: its common part, and the SDK beside it.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $folders = ['Hundi\\Shop\\' => __DIR__ . '/shop/', 'Hundi\\' => __DIR__ . '/hundi/'];
    foreach ($folders as $prefix => $folder) {
        $file = $folder . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});
// Where composer has the SDK as well, its own loader has these classes already.
class_exists(\Hundi\PaymentRequest::class) || require __DIR__ . '/hundi/messages.php';
