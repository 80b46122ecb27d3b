import { i18n } from '@lingui/core'
import { registerSentences } from './failures.ts'

const unavailable = () => i18n._('This server doesn’t support that. Choose another way.')
const tooLate = () => i18n._('That took too long. Try again.')
const keyRefused = () => i18n._('This key wasn’t accepted. Try another one, or another way.')
const keyGone = () => i18n._('This passkey is no longer registered here. Sign in another way.')

/** Errors of second factors, passkeys and account changes; loaded with these. */
registerSentences({
  bad_push_subscription: () =>
    i18n._('Your browser’s notification service isn’t allowed on this server. Ask an owner to allow it.'),
  mfa_verification_failed: () => i18n._('Wrong code. Enter the one showing now.'),
  recovery_code_wrong: () =>
    i18n._('This code is wrong or has already been used. Check it, or use another one.'),
  mfa_challenge_expired: tooLate,
  mfa_ip_address_mismatch: () => i18n._('That took too long, or your connection changed. Try again.'),
  mfa_verification_rejected: () => i18n._('The server signed you out. Wait a moment, then sign in again.'),
  mfa_factor_not_found: () => i18n._('This method no longer exists. Reload the page.'),
  mfa_factor_name_conflict: () =>
    i18n._('One of your two-factor methods already has this name. Choose another.'),
  too_many_enrolled_mfa_factors: () =>
    i18n._('You’ve reached the limit for two-factor methods. Remove one to add another.'),
  mfa_verified_factor_exists: () => i18n._('You already use this number for two-factor authentication.'),
  mfa_totp_enroll_not_enabled: unavailable,
  mfa_totp_verify_not_enabled: unavailable,
  mfa_phone_enroll_not_enabled: unavailable,
  mfa_phone_verify_not_enabled: unavailable,
  mfa_webauthn_enroll_not_enabled: unavailable,
  mfa_webauthn_verify_not_enabled: unavailable,
  own_second_factor_missing: () => i18n._('Set up two-factor authentication for your own account first.'),
  insufficient_aal: () => i18n._('Confirm with your second factor first.'),
  passkey_disabled: unavailable,
  too_many_passkeys: () => i18n._('You’ve reached the limit for passkeys. Remove one to add another.'),
  webauthn_credential_exists: () => i18n._('This passkey is already registered to you.'),
  webauthn_credential_not_found: keyGone,
  webauthn_challenge_not_found: tooLate,
  webauthn_challenge_expired: tooLate,
  webauthn_verification_failed: keyRefused,
  key_not_shown: () => i18n._('No passkey was used. Try again, or choose another way.'),
  key_not_supported: () => i18n._('This device can’t store this kind of key. Try another device or method.'),
  key_wrong_site: () => i18n._('Passkeys don’t work at this address. Contact your administrator.'),
  identity_already_exists: () =>
    i18n._('That account is already connected, either to you or to someone else here.'),
  identity_not_found: () => i18n._('That account is no longer connected. Reload the page.'),
  single_identity_not_deletable: () => i18n._('This is your only way to sign in. Connect another one first.'),
  email_conflict_identity_not_deletable: () =>
    i18n._('Someone else here already uses the email you’d be left with. Change yours first.'),
  manual_linking_disabled: unavailable,
  user_sso_managed: () => i18n._('Your organization manages this account. Change it there.'),
  reauthentication_needed: () => i18n._('To confirm it’s you, enter the code we emailed you.'),
  reauthentication_not_valid: () => i18n._('That code is wrong or has expired. Request a new one.'),
  current_password_required: () => i18n._('Enter your current password.'),
  current_password_invalid: () => i18n._('That isn’t your current password.'),
})
