<?php

declare(strict_types=1);

namespace Surety;

/** Amounts without floats: decimal strings of major units, and integers of minor units. */
final class Amount
{
    /** Digits that a JSON number carries exactly; the interface accepts no more. */
    private const MOST_DIGITS = 15;

    /** The decimal string of minor units: `ofMinor(250050, 2)` is `"2500.5"`. `$decimals` is the currency's: 2 for NGN. */
    public static function ofMinor(int $minor, int $decimals): string
    {
        self::checkDecimals($decimals);
        if ($minor < 0) {
            throw new UsageError('Minor units must be an integer, 0 or more.');
        }
        $digits = str_pad((string) $minor, $decimals + 1, '0', STR_PAD_LEFT);
        $whole = substr($digits, 0, strlen($digits) - $decimals);
        return self::number($decimals === 0 ? $whole : $whole . '.' . substr($digits, -$decimals));
    }

    /** Minor units of an amount, for sums: `toMinor('2500.5', 2)` is 250050. Throws if the amount has more decimals. */
    public static function toMinor(string $amount, int $decimals): int
    {
        self::checkDecimals($decimals);
        [$whole, $fraction] = explode('.', self::number($amount) . '.', 3);
        if (strlen($fraction) > $decimals) {
            throw new UsageError("The amount has more than $decimals decimals.");
        }
        $minor = (int) ($digits = $whole . str_pad($fraction, $decimals, '0'));
        return (string) $minor === (ltrim($digits, '0') ?: '0') ? $minor : throw new UsageError('The amount is too large.');
    }

    /**
     * The JSON number of an amount: `2500.5` for `"2500.50"`. Throws `UsageError` for anything but a decimal string of at
     * most 15 digits, also for a float, which may be rounded already, and for an int, which may be meant as kobo.
     */
    public static function number(mixed $amount): string
    {
        if (
            !is_string($amount)
            || preg_match('/\A([0-9]+)(?:\.([0-9]+))?\z/', $amount, $match) !== 1
            || strlen(ltrim($match[1] . ($match[2] ?? ''), '0')) > self::MOST_DIGITS
        ) {
            throw new UsageError(
                'An amount must be a string of digits, with a point before any decimals: at most 15 digits in all. For minor units, '
                . 'use Amount::ofMinor. Omit it for the whole payment.'
            );
        }
        $whole = ltrim($match[1], '0');
        $fraction = rtrim($match[2] ?? '', '0');
        return ($whole === '' ? '0' : $whole) . ($fraction === '' ? '' : ".$fraction");
    }

    private static function checkDecimals(int $decimals): void
    {
        if ($decimals < 0 || $decimals > 6) {
            throw new UsageError("The number of decimals must be the currency's: 2 for NGN.");
        }
    }
}
