<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Callbacks;
use Hundi\Client;
use Hundi\Credentials;
use Hundi\Gateway;
use Illuminate\Contracts\Container\Container;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;

/** Makes the client, the store and the two addresses. You bind `ShopBooks`. */
final class HundiServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/../config/hundi.php', 'hundi');
        $this->app->singleton(Credentials::class, static function (Container $app): Credentials {
            $own = $app->make('config')->get('hundi');
            return new Credentials(
                $own['merchant_id'],
                $own['username'],
                $own['password'],
                $own['api_secret'],
                $own['oauth_client_id'],
                $own['oauth_client_secret'],
                array_values($own['webhook_keys']),
            );
        });
        $this->app->singleton(Client::class, static fn (Container $app): Client => new Client(
            $app->make(Credentials::class),
            new Gateway($app->make('config')->get('hundi.base_url')),
        ));
        $this->app->singleton(Callbacks::class, static fn (Container $app): Callbacks => new Callbacks(
            $app->make(Credentials::class),
        ));
        $this->app->bind(EventStore::class, static fn (Container $app): EventStore => new TableStore(
            $app->make('db')->connection(),
        ));
    }

    public function boot(): void
    {
        $this->loadMigrationsFrom(__DIR__ . '/../migrations');
        $this->publishes([__DIR__ . '/../config/hundi.php' => $this->app->configPath('hundi.php')], 'hundi');
        // Without the middleware of "web": the gateway has no session and no token against forgery.
        Route::prefix($this->app->make('config')->get('hundi.path'))->group(static function (): void {
            Route::post('notification', [HundiController::class, 'notification']);
            Route::post('return', [HundiController::class, 'returned']);
        });
    }
}
