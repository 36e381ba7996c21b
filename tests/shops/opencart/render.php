<?php

// Renders a template as OpenCart 4 does: without escaping of its own, so that a template has to.

declare(strict_types=1);

require '/usr/share/php/Twig/autoload.php';

['file' => $file, 'data' => $data] = json_decode((string) file_get_contents('php://stdin'), true, flags: JSON_THROW_ON_ERROR);
$twig = new Twig\Environment(new Twig\Loader\FilesystemLoader(dirname($file)), [
    'autoescape' => false,
    'strict_variables' => true, // a name that no controller gives is an error
]);
echo $twig->render(basename($file), $data);
