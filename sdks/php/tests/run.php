<?php

declare(strict_types=1);

// Runs every test of this directory: `php tests/run.php`. A test is a public method `test…` of a class in `*Test.php`.

namespace Surety\Tests;

require __DIR__ . '/../src/autoload.php';
require __DIR__ . '/TestCase.php';

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new \ErrorException($message, 0, $level, $file, $line);
});

$passed = 0;
$failed = [];
foreach (glob(__DIR__ . '/*Test.php') ?: [] as $file) {
    require $file;
    $class = __NAMESPACE__ . '\\' . basename($file, '.php');
    foreach (get_class_methods($class) as $method) {
        if (!str_starts_with($method, 'test')) {
            continue;
        }
        $test = new $class();
        try {
            $test->$method();
            $passed++;
        } catch (\Throwable $error) {
            $failed[] = basename($file, '.php') . "::$method\n  " . get_class($error) . ': ' . $error->getMessage()
                . "\n  " . str_replace("\n", "\n  ", $error->getTraceAsString());
        }
    }
}
foreach ($failed as $failure) {
    echo "FAILED $failure\n";
}
echo "$passed passed, " . count($failed) . " failed\n";
exit($failed === [] && $passed > 0 ? 0 : 1);
