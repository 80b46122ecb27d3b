import { supported, unsupported, type KnownKey } from './KnownKey.ts'

const hook = (name: string): Record<string, KnownKey> => ({
  [`auth.hook.${name}.enabled`]: supported('boolean'),
  [`auth.hook.${name}.uri`]: supported('string'),
  [`auth.hook.${name}.secrets`]: supported('string'),
  [`auth.hook.${name}.max_concurrent`]: supported('number'),
})

/** The table of an SMS service; off by default. */
const smsService = (name: string, ...keys: string[]): Record<string, KnownKey> => ({
  [`auth.sms.${name}.enabled`]: supported('boolean'),
  ...Object.fromEntries(keys.map((key) => [`auth.sms.${name}.${key}`, supported('string')])),
})

const issuer = (name: string, ...keys: string[]): Record<string, KnownKey> => ({
  [`auth.third_party.${name}.enabled`]: supported('boolean'),
  ...Object.fromEntries(keys.map((key) => [`auth.third_party.${name}.${key}`, supported('string')])),
})

/** OAuth providers, by their names in the source of Supabase Auth. */
const providers = (
  'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc ' +
  'notion slack slack_oidc snapchat spotify twitch twitter vercel_marketplace workos x zoom'
).split(' ')

const provider = (name: string): Record<string, KnownKey> => ({
  [`auth.external.${name}.enabled`]: supported('boolean'),
  [`auth.external.${name}.client_id`]: supported('string'),
  [`auth.external.${name}.secret`]: supported('string'),
  [`auth.external.${name}.redirect_uri`]: supported('string'),
  [`auth.external.${name}.url`]: supported('string'),
  [`auth.external.${name}.skip_nonce_check`]: supported('boolean'),
  [`auth.external.${name}.email_optional`]: supported('boolean'),
})

const notifications = [
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
  'auth.enabled': unsupported('boolean', 'the service always runs', true),
  'auth.site_url': supported('string'),
  'auth.external_url': supported('string'),
  'auth.additional_redirect_urls': supported('strings'),
  'auth.jwt_expiry': supported('number'),
  'auth.jwt_issuer': supported('string'),
  'auth.signing_keys_path': supported('string'),
  'auth.publishable_key': supported('string'),
  'auth.secret_key': supported('string'),
  'auth.jwt_secret': supported('string'),
  'auth.anon_key': supported('string'),
  'auth.service_role_key': supported('string'),
  'auth.enable_refresh_token_rotation': supported('boolean'),
  'auth.refresh_token_reuse_interval': supported('number'),
  'auth.enable_manual_linking': supported('boolean'),
  'auth.enable_signup': supported('boolean'),
  'auth.enable_anonymous_sign_ins': supported('boolean'),
  'auth.minimum_password_length': supported('number'),
  'auth.password_requirements': supported('string'),
  // Linnet's own: hosted projects set it in the dashboard, and the official CLI has no key for it.
  'auth.leaked_password_protection': supported('boolean'),
  'auth.hide_accounts': supported('boolean'),
  'auth.require_current_password': supported('boolean'),
  'auth.passkey.enabled': supported('boolean'),
  'auth.webauthn.rp_display_name': supported('string'),
  'auth.webauthn.rp_id': supported('string'),
  'auth.webauthn.rp_origins': supported('strings'),

  'auth.rate_limit.email_sent': supported('number'),
  'auth.rate_limit.sms_sent': supported('number'),
  'auth.rate_limit.anonymous_users': supported('number'),
  'auth.rate_limit.token_refresh': supported('number'),
  'auth.rate_limit.sign_in_sign_ups': supported('number'),
  'auth.rate_limit.token_verifications': supported('number'),
  'auth.rate_limit.web3': supported('number'),

  'auth.captcha.enabled': supported('boolean'),
  'auth.captcha.provider': supported('string'),
  'auth.captcha.secret': supported('string'),

  'auth.email.enabled': supported('boolean'),
  // Linnet's own: without links and codes by mail, or without passwords.
  'auth.email.codes': supported('boolean'),
  'auth.email.passwords': supported('boolean'),
  // The name until 2026.
  'auth.email.enable_signup': supported('boolean'),
  'auth.email.double_confirm_changes': supported('boolean'),
  'auth.email.enable_confirmations': supported('boolean'),
  'auth.email.secure_password_change': supported('boolean'),
  'auth.email.require_current_password': supported('boolean'),
  'auth.email.max_frequency': supported('duration'),
  'auth.email.otp_length': supported('number'),
  'auth.email.otp_expiry': supported('number'),
  'auth.email.smtp.enabled': supported('boolean'),
  'auth.email.smtp.host': supported('string'),
  'auth.email.smtp.port': supported('number'),
  'auth.email.smtp.user': supported('string'),
  'auth.email.smtp.pass': supported('string'),
  'auth.email.smtp.admin_email': supported('string'),
  'auth.email.smtp.sender_name': supported('string'),
  ...Object.fromEntries(
    templates.flatMap((name) => [
      [`auth.email.template.${name}.subject`, supported('string')],
      [`auth.email.template.${name}.content_path`, supported('string')],
    ]),
  ),
  ...Object.fromEntries(
    notifications.flatMap((name) => [
      [`auth.email.notification.${name}.enabled`, supported('boolean')],
      [`auth.email.notification.${name}.subject`, supported('string')],
      [`auth.email.notification.${name}.content_path`, supported('string')],
    ]),
  ),

  'auth.sessions.timebox': supported('duration'),
  'auth.sessions.inactivity_timeout': supported('duration'),
  // Linnet's own, named like the environment variables of Supabase Auth: the official CLI has no keys for them.
  'auth.sessions.allow_low_aal': supported('duration'),
  'auth.sessions.single_per_user': supported('boolean'),
  'auth.sessions.tags': supported('strings'),
  ...hook('before_user_created'),
  // Supabase Auth has it, the official CLI has no table for it.
  ...hook('after_user_created'),
  ...hook('custom_access_token'),
  ...hook('mfa_verification_attempt'),
  ...hook('password_verification_attempt'),
  ...hook('send_sms'),
  ...hook('send_email'),

  'auth.sms.enabled': supported('boolean'),
  // The name until 2026.
  'auth.sms.enable_signup': supported('boolean'),
  'auth.sms.enable_confirmations': supported('boolean'),
  'auth.sms.template': supported('string'),
  'auth.sms.max_frequency': supported('duration'),
  'auth.sms.test_otp.*': supported('string'),
  ...smsService('twilio', 'account_sid', 'message_service_sid', 'auth_token'),
  ...smsService('twilio_verify', 'account_sid', 'message_service_sid', 'auth_token'),
  ...smsService('messagebird', 'originator', 'access_key'),
  ...smsService('textlocal', 'sender', 'api_key'),
  ...smsService('vonage', 'from', 'api_key', 'api_secret'),

  'auth.mfa.max_enrolled_factors': supported('number'),
  'auth.mfa.totp.enroll_enabled': supported('boolean'),
  'auth.mfa.totp.verify_enabled': supported('boolean'),
  'auth.mfa.phone.enroll_enabled': supported('boolean'),
  'auth.mfa.phone.verify_enabled': supported('boolean'),
  'auth.mfa.phone.otp_length': supported('number'),
  'auth.mfa.phone.template': supported('string'),
  'auth.mfa.phone.max_frequency': supported('duration'),
  'auth.mfa.web_authn.enroll_enabled': supported('boolean'),
  'auth.mfa.web_authn.verify_enabled': supported('boolean'),

  ...Object.assign({}, ...providers.map(provider)),
  'auth.web3.solana.enabled': supported('boolean'),
  'auth.web3.ethereum.enabled': supported('boolean'),

  ...issuer('firebase', 'project_id'),
  ...issuer('auth0', 'tenant', 'tenant_region'),
  ...issuer('aws_cognito', 'user_pool_id', 'user_pool_region'),
  ...issuer('clerk', 'domain'),
  ...issuer('workos', 'issuer_url'),

  'auth.oauth_server.enabled': supported('boolean'),
  'auth.oauth_server.authorization_url_path': supported('string'),
  'auth.oauth_server.allow_dynamic_registration': supported('boolean'),
}
