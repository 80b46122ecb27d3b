import { AuthError } from './AuthError.ts'

/** Names of RFC 6749 §4.1.2.1 and §5.2 for what went wrong, and two that the contract writes with a space. */
type OAuthFault =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid request'
  | 'invalid nonce'
  | 'unsupported_grant_type'

/** A refusal in the form that clients of OAuth read: 400 `{error, error_description}`. */
export class OAuthError extends AuthError {
  override name = 'OAuthError'
  readonly fault: OAuthFault

  constructor(fault: OAuthFault, description: string) {
    super(400, '', description)
    this.fault = fault
  }
}
