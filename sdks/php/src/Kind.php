<?php

declare(strict_types=1);

namespace Hundi;

/** What an error is about; that of a refusal by the gateway follows from its code. */
enum Kind: string
{
    case Configuration = 'configuration';
    case WrongKey = 'wrong_key';
    case InvalidRequest = 'invalid_request';
    case Unreachable = 'unreachable';
    case UnreadableReply = 'unreadable_reply';
    case OutcomeUnknown = 'outcome_unknown';
    case Refused = 'refused';
    case RequestRefused = 'request_refused';
    case TokenRefused = 'token_refused';
    case CredentialsRefused = 'credentials_refused';
    case OrderRefused = 'order_refused';
    case NotEnabled = 'not_enabled';
    case StateRefused = 'state_refused';
    case NotFound = 'not_found';
    case TooManyRequests = 'too_many_requests';
    case GatewayFault = 'gateway_fault';
    case UnreadableCallback = 'unreadable_callback';
    case Signature = 'signature';
    case Stale = 'stale';
    case SecureHash = 'secure_hash';
    case Mismatch = 'mismatch';

    /** Whether a reply, return or notification must not be believed. Ask `verify`. */
    public function isUntrusted(): bool
    {
        return match ($this) {
            self::UnreadableCallback, self::Signature, self::Stale, self::SecureHash, self::Mismatch => true,
            default => false,
        };
    }

    public function hasNoAnswer(): bool
    {
        return $this === self::Unreachable || $this === self::UnreadableReply || $this === self::GatewayFault;
    }
}
