<?php

// A Laravel application around the sample of README.md: Debian has the framework, without its skeleton. It is artisan and
// the router of PHP's own server. `php shop.php migrate`, then `php -S 127.0.0.1:8000 shop.php`.

declare(strict_types=1);

use Illuminate\Contracts\Console\Kernel as ConsoleContract;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpContract;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Console\Kernel as ConsoleKernel;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel as HttpKernel;
use Illuminate\Http\Request;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\ConsoleOutput;

// Laravel 8 is older than PHP 8.2, whose deprecations it does not know.
error_reporting(E_ALL & ~E_DEPRECATED);
require '/usr/share/php/Illuminate/autoload.php';
spl_autoload_register(static function (string $class): void {
    $file = str_replace(['Hundi\\Laravel\\', 'Hundi\\'], [__DIR__ . '/../src/', __DIR__ . '/../../src/'], $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
require_once __DIR__ . '/../../src/messages.php';

$build = __DIR__ . '/../../build/laravel';
foreach (['bootstrap/cache', 'storage/framework/views', 'storage/logs'] as $folder) {
    is_dir("$build/$folder") || mkdir("$build/$folder", recursive: true);
}
foreach (['SERVICES', 'PACKAGES', 'CONFIG', 'ROUTES', 'EVENTS'] as $cache) {
    putenv("APP_{$cache}_CACHE=$build/bootstrap/cache/" . strtolower($cache) . '.php');
}
$app = new Application(__DIR__ . '/app');
$app->useEnvironmentPath($build);
$app->useStoragePath("$build/storage");
$app->singleton(HttpContract::class, HttpKernel::class);
$app->singleton(ConsoleContract::class, ConsoleKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
$app->booted(static fn () => require "$build/web.php");

if (PHP_SAPI === 'cli') {
    exit($app->make(ConsoleContract::class)->handle(new ArgvInput(), new ConsoleOutput()));
}
$kernel = $app->make(HttpContract::class);
$request = Request::capture();
$answer = $kernel->handle($request);
$answer->send();
$kernel->terminate($request, $answer);
