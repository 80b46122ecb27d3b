import { i18n } from '@lingui/core'
import { learnSentences } from './failures.ts'

const notOffered = () => i18n._('This Linnet doesn’t offer that. Choose another way.')
const tooLate = () => i18n._('That took too long. Try again.')
const keyRefused = () => i18n._('This key wasn’t accepted. Try another one, or another way.')
const keyGone = () => i18n._('This key isn’t known here any more. Sign in another way.')

/** What second steps, keys and changes of one's account are refused with. */
learnSentences({
  mfa_verification_failed: () => i18n._('That code isn’t right. Enter the one that is shown now.'),
  mfa_challenge_expired: tooLate,
  mfa_ip_address_mismatch: () =>
    i18n._('That took too long, or your connection changed meanwhile. Try again.'),
  mfa_verification_rejected: () =>
    i18n._('The server refused this, and signed you out. Wait a while, then sign in again.'),
  mfa_factor_not_found: () => i18n._('This second step is gone. Reload the page.'),
  mfa_factor_name_conflict: () => i18n._('One of your second steps has this name already. Choose another.'),
  too_many_enrolled_mfa_factors: () =>
    i18n._('You have as many second steps as there may be. Remove one to add another.'),
  mfa_verified_factor_exists: () => i18n._('This number is a second step of yours already.'),
  mfa_totp_enroll_not_enabled: notOffered,
  mfa_totp_verify_not_enabled: notOffered,
  mfa_phone_enroll_not_enabled: notOffered,
  mfa_phone_verify_not_enabled: notOffered,
  mfa_webauthn_enroll_not_enabled: notOffered,
  mfa_webauthn_verify_not_enabled: notOffered,
  insufficient_aal: () => i18n._('Show your second step first.'),
  passkey_disabled: notOffered,
  too_many_passkeys: () => i18n._('You have as many passkeys as there may be. Remove one to add another.'),
  webauthn_credential_exists: () => i18n._('This key is yours already.'),
  webauthn_credential_not_found: keyGone,
  webauthn_challenge_not_found: tooLate,
  webauthn_challenge_expired: tooLate,
  webauthn_verification_failed: keyRefused,
  key_not_shown: () => i18n._('No key was shown. Try again, or choose another way.'),
  key_not_supported: () => i18n._('This device can’t hold such a key. Try another one, or another way.'),
  key_wrong_site: () => i18n._('Keys don’t work at this address. Ask whoever runs this Linnet.'),
  identity_already_exists: () =>
    i18n._('That account is connected already: with you, or with somebody else here.'),
  identity_not_found: () => i18n._('That account isn’t connected any more.'),
  single_identity_not_deletable: () =>
    i18n._('This is the only way in that you have. Connect another one first.'),
  email_conflict_identity_not_deletable: () =>
    i18n._('Somebody else here has the address that you would be left with. Change yours first.'),
  manual_linking_disabled: notOffered,
  user_sso_managed: () => i18n._('Your organisation looks after this account. Change it there.'),
  reauthentication_needed: () => i18n._('Enter the code that we mailed you, so that we know it’s you.'),
  reauthentication_not_valid: () => i18n._('That code isn’t right or too old. Ask for a new one.'),
  current_password_required: () => i18n._('Enter the password that you have now.'),
  current_password_invalid: () => i18n._('The password that you have now isn’t that one.'),
})
