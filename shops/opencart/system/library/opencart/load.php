<?php

// Loads the SDK, the common part, and OpenCart's own.

declare(strict_types=1);

require_once __DIR__ . '/../autoload.php';
foreach (['Database', 'Site', 'Order'] as $name) {
    require_once __DIR__ . "/$name.php";
}
