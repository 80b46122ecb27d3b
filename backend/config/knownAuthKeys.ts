import { honoured, unserved, type KnownKey } from './KnownKey.ts'

const ownKeys = 'the house makes its own keys; LINNET_JWT_SECRET fixes the secret'

const hook = (name: string): Record<string, KnownKey> => ({
  [`auth.hook.${name}.enabled`]: honoured('boolean'),
  [`auth.hook.${name}.uri`]: honoured('string'),
  [`auth.hook.${name}.secrets`]: honoured('string'),
  [`auth.hook.${name}.max_concurrent`]: honoured('number'),
})

/** A table of a service that sends short messages, off unless said. */
const sender = (name: string, ...keys: string[]): Record<string, KnownKey> => ({
  [`auth.sms.${name}.enabled`]: honoured('boolean'),
  ...Object.fromEntries(keys.map((key) => [`auth.sms.${name}.${key}`, honoured('string')])),
})

const issuer = (name: string, ...keys: string[]): Record<string, KnownKey> => ({
  [`auth.third_party.${name}.enabled`]: honoured('boolean'),
  ...Object.fromEntries(keys.map((key) => [`auth.third_party.${name}.${key}`, honoured('string')])),
})

/** Services whose accounts people may sign in with, by their names in the service's own source. */
const providers = (
  'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc ' +
  'notion slack slack_oidc snapchat spotify twitch twitter vercel_marketplace workos x zoom'
).split(' ')

const provider = (name: string): Record<string, KnownKey> => ({
  [`auth.external.${name}.enabled`]: honoured('boolean'),
  [`auth.external.${name}.client_id`]: honoured('string'),
  [`auth.external.${name}.secret`]: honoured('string'),
  [`auth.external.${name}.redirect_uri`]: honoured('string'),
  [`auth.external.${name}.url`]: honoured('string'),
  [`auth.external.${name}.skip_nonce_check`]: honoured('boolean'),
  [`auth.external.${name}.email_optional`]: honoured('boolean'),
})

const notices = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
]
const templates = ['invite', 'confirmation', 'recovery', 'magic_link', 'email_change', 'reauthentication']

/** `[auth]`, by the paths of the official CLI's pkg/config/auth.go. */
export const knownAuthKeys: Record<string, KnownKey> = {
  'auth.enabled': unserved('boolean', 'the service always runs', true),
  'auth.site_url': honoured('string'),
  'auth.external_url': honoured('string'),
  'auth.additional_redirect_urls': honoured('strings'),
  'auth.jwt_expiry': honoured('number'),
  'auth.jwt_issuer': honoured('string'),
  'auth.signing_keys_path': honoured('string'),
  'auth.publishable_key': unserved('string', ownKeys, ''),
  'auth.secret_key': unserved('string', ownKeys, ''),
  'auth.jwt_secret': unserved('string', ownKeys, ''),
  'auth.anon_key': unserved('string', ownKeys, ''),
  'auth.service_role_key': unserved('string', ownKeys, ''),
  'auth.enable_refresh_token_rotation': honoured('boolean'),
  'auth.refresh_token_reuse_interval': honoured('number'),
  'auth.enable_manual_linking': honoured('boolean'),
  'auth.enable_signup': honoured('boolean'),
  'auth.enable_anonymous_sign_ins': honoured('boolean'),
  'auth.minimum_password_length': honoured('number'),
  'auth.password_requirements': honoured('string'),
  // Ours: hosted has a switch for it in its dashboard, the official CLI no key.
  'auth.leaked_password_protection': honoured('boolean'),
  'auth.hide_accounts': honoured('boolean'),
  'auth.require_current_password': honoured('boolean'),
  'auth.passkey.enabled': honoured('boolean'),
  'auth.webauthn.rp_display_name': honoured('string'),
  'auth.webauthn.rp_id': honoured('string'),
  'auth.webauthn.rp_origins': honoured('strings'),

  'auth.rate_limit.email_sent': honoured('number'),
  'auth.rate_limit.sms_sent': honoured('number'),
  'auth.rate_limit.anonymous_users': honoured('number'),
  'auth.rate_limit.token_refresh': honoured('number'),
  'auth.rate_limit.sign_in_sign_ups': honoured('number'),
  'auth.rate_limit.token_verifications': honoured('number'),
  'auth.rate_limit.web3': honoured('number'),

  'auth.captcha.enabled': honoured('boolean'),
  'auth.captcha.provider': honoured('string'),
  'auth.captcha.secret': honoured('string'),

  'auth.email.enabled': honoured('boolean'),
  // Its name until 2026.
  'auth.email.enable_signup': honoured('boolean'),
  'auth.email.double_confirm_changes': honoured('boolean'),
  'auth.email.enable_confirmations': honoured('boolean'),
  'auth.email.secure_password_change': honoured('boolean'),
  'auth.email.max_frequency': honoured('duration'),
  'auth.email.otp_length': honoured('number'),
  'auth.email.otp_expiry': honoured('number'),
  'auth.email.smtp.enabled': honoured('boolean'),
  'auth.email.smtp.host': honoured('string'),
  'auth.email.smtp.port': honoured('number'),
  'auth.email.smtp.user': honoured('string'),
  'auth.email.smtp.pass': honoured('string'),
  'auth.email.smtp.admin_email': honoured('string'),
  'auth.email.smtp.sender_name': honoured('string'),
  ...Object.fromEntries(
    templates.flatMap((name) => [
      [`auth.email.template.${name}.subject`, honoured('string')],
      [`auth.email.template.${name}.content_path`, honoured('string')],
    ]),
  ),
  ...Object.fromEntries(
    notices.flatMap((name) => [
      [`auth.email.notification.${name}.enabled`, honoured('boolean')],
      [`auth.email.notification.${name}.subject`, honoured('string')],
      [`auth.email.notification.${name}.content_path`, honoured('string')],
    ]),
  ),

  'auth.sessions.timebox': honoured('duration'),
  'auth.sessions.inactivity_timeout': honoured('duration'),
  // Ours, by the names of the service's environment: the official CLI has no keys for them.
  'auth.sessions.allow_low_aal': honoured('duration'),
  'auth.sessions.single_per_user': honoured('boolean'),
  'auth.sessions.tags': honoured('strings'),
  ...hook('before_user_created'),
  // Of the service alone: the official CLI has no table for it.
  ...hook('after_user_created'),
  ...hook('custom_access_token'),
  ...hook('mfa_verification_attempt'),
  ...hook('password_verification_attempt'),
  ...hook('send_sms'),
  ...hook('send_email'),

  'auth.sms.enabled': honoured('boolean'),
  // Its name until 2026.
  'auth.sms.enable_signup': honoured('boolean'),
  'auth.sms.enable_confirmations': honoured('boolean'),
  'auth.sms.template': honoured('string'),
  'auth.sms.max_frequency': honoured('duration'),
  'auth.sms.test_otp.*': honoured('string'),
  ...sender('twilio', 'account_sid', 'message_service_sid', 'auth_token'),
  ...sender('twilio_verify', 'account_sid', 'message_service_sid', 'auth_token'),
  ...sender('messagebird', 'originator', 'access_key'),
  ...sender('textlocal', 'sender', 'api_key'),
  ...sender('vonage', 'from', 'api_key', 'api_secret'),

  'auth.mfa.max_enrolled_factors': honoured('number'),
  'auth.mfa.totp.enroll_enabled': honoured('boolean'),
  'auth.mfa.totp.verify_enabled': honoured('boolean'),
  'auth.mfa.phone.enroll_enabled': honoured('boolean'),
  'auth.mfa.phone.verify_enabled': honoured('boolean'),
  'auth.mfa.phone.otp_length': honoured('number'),
  'auth.mfa.phone.template': honoured('string'),
  'auth.mfa.phone.max_frequency': honoured('duration'),
  'auth.mfa.web_authn.enroll_enabled': honoured('boolean'),
  'auth.mfa.web_authn.verify_enabled': honoured('boolean'),

  ...Object.assign({}, ...providers.map(provider)),
  'auth.web3.solana.enabled': honoured('boolean'),
  'auth.web3.ethereum.enabled': honoured('boolean'),

  ...issuer('firebase', 'project_id'),
  ...issuer('auth0', 'tenant', 'tenant_region'),
  ...issuer('aws_cognito', 'user_pool_id', 'user_pool_region'),
  ...issuer('clerk', 'domain'),
  ...issuer('workos', 'issuer_url'),

  'auth.oauth_server.enabled': honoured('boolean'),
  'auth.oauth_server.authorization_url_path': honoured('string'),
  'auth.oauth_server.allow_dynamic_registration': honoured('boolean'),
}
