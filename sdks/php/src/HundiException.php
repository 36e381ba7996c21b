<?php

declare(strict_types=1);

namespace Hundi;

/**
 * Everything the SDK throws on purpose. `$field`, `$received` and `$allowed` say what is wrong with
 * which field; `$responseCode` is the gateway's, `$referenceId` is for its operator.
 */
final class HundiException extends \RuntimeException
{
    private const FIELD_SENTENCE =
        '/^([^:\s]+): (?:received ([\'"])(.*)\2|it is missing), allowed is (.+)$/s';

    public function __construct(
        public readonly Kind $kind,
        public readonly Retry $retry,
        string $message,
        public readonly string $responseCode = '',
        public readonly string $referenceId = '',
        public readonly string $field = '',
        public readonly string $received = '',
        public readonly string $allowed = '',
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }

    public static function configuration(string $message): self
    {
        return new self(Kind::Configuration, Retry::AfterFix, $message);
    }

    public static function wrongKey(?self $hint): self
    {
        $message = 'the reply is encrypted under another key: username or password is wrong';
        if ($hint === null) {
            return new self(Kind::WrongKey, Retry::AfterFix, $message);
        }
        $told = "$message; beside it stands: {$hint->getMessage()}";
        return new self(Kind::WrongKey, $hint->retry, $told, $hint->responseCode, $hint->referenceId);
    }

    public static function invalid(string $field, string $received, string $allowed): self
    {
        $got = $received === '' ? 'it is missing' : "received \"$received\"";
        $message = "$field: $got, allowed is $allowed";
        return new self(Kind::InvalidRequest, Retry::AfterFix, $message, '', '', $field, $received, $allowed);
    }

    public static function noAnswer(Kind $kind, string $message): self
    {
        return new self($kind, Retry::Later, $message);
    }

    /** Return the error of a call that may have moved money: ask, do not repeat it. */
    public static function outcomeUnknown(string $operation, self $cause): self
    {
        $message = "$operation may have been done: ask, do not repeat it ({$cause->getMessage()})";
        return new self(Kind::OutcomeUnknown, Retry::Never, $message, '', $cause->referenceId, previous: $cause);
    }

    public static function untrusted(Kind $kind, string $message): self
    {
        return new self($kind, Retry::Never, $message);
    }

    public static function mismatch(string $field, string $expected, string $received): self
    {
        $message = "$field: expected \"$expected\", received \"$received\"";
        return new self(Kind::Mismatch, Retry::Never, $message, '', '', $field, $received, $expected);
    }

    /** Return the error of a refusing reply. */
    public static function refusal(string $code, string $message, string $referenceId): self
    {
        [$kind, $retry] = Operations::CODES[$code] ?? ['refused', 'after_fix'];
        $isField = preg_match(self::FIELD_SENTENCE, $message, $parts) === 1;
        return new self(
            Kind::from($kind),
            Retry::from($retry),
            $message === '' ? 'the gateway gave no reason' : $message,
            $code,
            $referenceId,
            $isField ? $parts[1] : '',
            $isField ? $parts[3] : '',
            $isField ? $parts[4] : '',
        );
    }
}
