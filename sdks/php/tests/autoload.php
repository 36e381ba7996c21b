<?php

// Loads the SDK's classes, as composer does where it is installed.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/../src/' . substr($class, strlen('Hundi\\')) . '.php';
});
require __DIR__ . '/../src/messages.php';
