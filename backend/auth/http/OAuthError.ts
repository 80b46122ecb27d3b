import { AuthError } from './AuthError.ts'

/** Error codes of RFC 6749 §4.1.2.1 and §5.2, and two that GoTrue writes with a space. */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid request'
  | 'invalid nonce'
  | 'unsupported_grant_type'

/** An error in OAuth's format: status 400, `{error, error_description}`. */
export class OAuthError extends AuthError {
  override name = 'OAuthError'
  readonly errorCode: OAuthErrorCode

  constructor(errorCode: OAuthErrorCode, description: string) {
    super(400, '', description)
    this.errorCode = errorCode
  }
}
