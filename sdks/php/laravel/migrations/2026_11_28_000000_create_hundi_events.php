<?php

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class () extends Migration {
    public function up(): void
    {
        Schema::create('hundi_events', static function (Blueprint $table): void {
            $table->string('webhook_id')->primary();
            $table->string('event', 64);
            $table->string('order_id', 64)->index();
            $table->timestamp('handled_at')->useCurrent();
        });
    }

    public function down(): void
    {
        Schema::drop('hundi_events');
    }
};
