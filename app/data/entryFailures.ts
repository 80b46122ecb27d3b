import { i18n } from '@lingui/core'
import './accountFailures.ts'
import { learnSentences } from './failures.ts'

const linkOld = () =>
  i18n._('This link or code isn’t right, is used up or too old. Check it, or ask for a new one.')
const otherBrowser = () =>
  i18n._('Open the link in the browser where you asked for it, or enter the code from the mail there.')
const spentElsewhere = () =>
  i18n._('This link was asked for in another browser, and is used up now. Ask for a new one.')
const noAccount = () => i18n._('New people come by invitation. Ask someone in the group for a link.')
const invitationOld = () => i18n._('This invitation is used up or too old. Ask for a new one.')
const accountThere = () => i18n._('There is an account with this address. Sign in instead.')
const badEmail = () => i18n._('That doesn’t look like an email address.')
const placeName = () => i18n._('A name has 1 to 80 characters on one line.')

const elsewhere = () => i18n._('That way of signing in isn’t open here. Choose another.')
const elsewhereAgain = () => i18n._('Signing in there took too long or was broken off. Try again.')

/** What entering, inviting and founding are refused with: who reads and writes never meets it. */
learnSentences({
  bad_token: () => i18n._('This set-up link isn’t the right one. Look for the newest in the terminal.'),
  setup_closed: () =>
    i18n._('This set-up link opens nothing any more. If this Linnet is set up already, sign in.'),
  invitation_invalid: invitationOld,
  invitation_expired: invitationOld,
  invitation_revoked: () => i18n._('This invitation was taken back. Ask for a new one.'),
  invitation_used: invitationOld,
  bad_invitation: () => i18n._('This invitation can’t be made so. Check the address and how long it lasts.'),
  guest_needs_channel: () => i18n._('Choose at least one channel for a guest.'),
  invitation_other_email: () =>
    i18n._('This invitation is for another address. Sign in with the one it was sent to.'),
  already_founded: () => i18n._('This Linnet is set up already. Sign in, or ask for an invitation.'),
  workspaces_name_length: placeName,
  workspaces_name_plain: placeName,
  invitations_email_plain: badEmail,
  invalid_credentials: () => i18n._('Address or password isn’t right. You can also ask for a link by mail.'),
  email_not_confirmed: () => i18n._('Confirm your address first: open the link in the mail we sent.'),
  email_address_invalid: badEmail,
  validation_failed: badEmail,
  email_exists: accountThere,
  user_already_exists: accountThere,
  weak_password: () =>
    i18n._('Others would guess this password soon. Choose a longer one: a few words in a row are good.'),
  weak_password_length: () =>
    i18n._('This password is too short. Choose a longer one: a few words in a row are good.'),
  weak_password_characters: () =>
    i18n._('This password has too few kinds of characters. Mix small and capital letters, digits and signs.'),
  weak_password_pwned: () =>
    i18n._('This password stands in lists of stolen ones, which are tried first. Choose another.'),
  same_password: () => i18n._('That is your password already. Choose a new one.'),
  otp_expired: linkOld,
  otp_disabled: noAccount,
  signup_disabled: noAccount,
  sign_up_by_invitation: noAccount,
  flow_state_not_found: spentElsewhere,
  flow_state_expired: linkOld,
  flow_state_already_used: linkOld,
  bad_code_verifier: spentElsewhere,
  pkce_code_verifier_not_found: spentElsewhere,
  link_of_other_browser: otherBrowser,
  no_code: linkOld,
  over_email_send_rate_limit: () =>
    i18n._('A mail was sent a moment ago. Look for it, also among the unwanted ones, or wait a minute.'),
  phone_exists: () => i18n._('There is an account with this number. Sign in instead.'),
  phone_not_confirmed: () => i18n._('Confirm your number first: enter the code that we sent to it.'),
  phone_provider_disabled: () => i18n._('Nobody signs in by phone here. Use your email address.'),
  email_provider_disabled: () => i18n._('Nobody signs in by mail here. Choose another way.'),
  sms_send_failed: () =>
    i18n._('The message to your phone couldn’t be sent. Check the number, or choose another way.'),
  over_sms_send_rate_limit: () => i18n._('A message was sent a moment ago. Look for it, or wait a minute.'),
  email_address_not_authorized: () =>
    i18n._('The server may not send mail to this address. Ask whoever runs this Linnet.'),
  captcha_failed: () => i18n._('The server takes you for a program. Reload the page and try again.'),
  provider_disabled: elsewhere,
  oauth_provider_not_supported: elsewhere,
  bad_oauth_state: elsewhereAgain,
  bad_oauth_callback: elsewhereAgain,
  oauth_client_state_expired: elsewhereAgain,
  oauth_client_state_not_found: elsewhereAgain,
  access_denied: () => i18n._('You didn’t go through with it there, so nothing happened here.'),
  provider_email_needs_verification: () =>
    i18n._('That account’s address isn’t confirmed yet. Open the mail that we sent to it, then try again.'),
})
