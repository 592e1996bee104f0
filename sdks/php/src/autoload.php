<?php

declare(strict_types=1);

// For projects without Composer: `require 'sdks/php/src/autoload.php';`.
foreach (
    [
        'errors', 'Amount', 'options', 'records', 'Pages',
        'internal/Secret', 'internal/Json', 'internal/Wire', 'internal/Retry', 'internal/Http', 'internal/Send',
        'generated/models', 'generated/codes', 'generated/operations',
        'Client', 'Event', 'Webhooks', 'Receiver', 'Signer',
    ] as $file
) {
    require_once __DIR__ . "/$file.php";
}
