import { i18n } from '@lingui/core'
import './accountFailures.ts'
import { outdatedClient, registerSentences } from './failures.ts'
import './profileFailures.ts'

const linkExpired = () =>
  i18n._('This link or code is invalid or has expired. Check it, or request a new one.')
const otherBrowser = () =>
  i18n._('Open the link in the browser you requested it from, or enter the code from the email there.')
const usedElsewhere = () =>
  i18n._('This link was requested in another browser and can’t be used again. Request a new one.')
const noAccount = () => i18n._('Linnet is invite-only. Ask someone in the workspace for a link.')
const invitationExpired = () => i18n._('This invitation has expired or was already used. Ask for a new one.')
const accountExists = () => i18n._('This email already has an account. Sign in instead.')
const badEmail = () => i18n._('Enter a valid email address.')
const workspaceName = () => i18n._('Enter a name of 1 to 80 characters on one line.')

const methodUnavailable = () => i18n._('That sign-in method isn’t available here. Choose another.')
const signInCanceled = () => i18n._('Sign-in took too long or was canceled. Try again.')

/** Errors of signing up, invitations, set-up and memberships; loaded with these. */
registerSentences({
  bad_token: () => i18n._('This setup link isn’t valid. Use the latest one from the terminal.'),
  setup_closed: () => i18n._('This setup link has already been used. If Linnet is set up, sign in.'),
  sign_in_code_expired: () => i18n._('This code has expired or was already used. Create a new one.'),
  email_address_missing: () => i18n._('Add an email address to your account first.'),
  invitation_invalid: () =>
    i18n._(
      'There is no invitation for this link. Part of the link may be missing: open the full link, or ask for a new one.',
    ),
  invitation_expired: invitationExpired,
  invitation_revoked: () => i18n._('This invitation was revoked. Ask for a new one.'),
  invitation_used: invitationExpired,
  bad_invitation: () => i18n._('We couldn’t create this invitation. Check the email address and expiry.'),
  too_many_channels: () => i18n._('An invitation can include up to 100 channels.'),
  too_many_invitations: () =>
    i18n._(
      'Too many invitations were sent today, or too many to one of these addresses. Try again tomorrow.',
    ),
  join_request_closed: () => i18n._('This request was already decided or withdrawn.'),
  invitation_without_channels: () =>
    i18n._('The channels of this invitation are no longer available. Ask for a new one.'),
  guest_needs_channel: () => i18n._('Choose at least one channel for a guest.'),
  invitation_not_started: () =>
    i18n._('This invitation isn’t valid yet. Open it again when your access begins.'),
  invitation_other_email: () =>
    i18n._('This invitation is for another email address. Sign in with the one it was sent to.'),
  last_owner: () =>
    i18n._('You’re the only owner. Transfer ownership to someone else first, or delete the workspace.'),
  membership_ended: () =>
    i18n._('This person isn’t an active member. If they left or were removed, invite them to come back.'),
  address_taken: () => i18n._('Another account already uses this address. Enter a different one.'),
  account_in_use: () =>
    i18n._('This account is already in use. Only the person can change its address, in their own settings.'),
  other_workspace_name: () => i18n._('That isn’t the name of the workspace. Check the spelling.'),
  workspace_members_role_known: outdatedClient,
  too_many_workspaces: () => i18n._('You can create up to 10 workspaces.'),
  too_many_memberships: () => i18n._('You’re already in 50 workspaces, which is the limit.'),
  already_founded: () => i18n._('Linnet is already set up. Sign in, or ask for an invitation.'),
  workspaces_name_length: workspaceName,
  invitations_email_plain: badEmail,
  invalid_credentials: () => i18n._('Wrong email or password. You can also sign in with an emailed link.'),
  email_not_confirmed: () => i18n._('Confirm your email first: sign in with a link or code by email.'),
  email_address_invalid: badEmail,
  validation_failed: badEmail,
  email_exists: accountExists,
  user_already_exists: accountExists,
  weak_password: () =>
    i18n._('This password is too easy to guess. Try a longer one, such as a few random words.'),
  weak_password_length: () =>
    i18n._('This password is too short. Try a longer one, such as a few random words.'),
  weak_password_characters: () => i18n._('Mix upper- and lowercase letters, numbers and symbols.'),
  weak_password_pwned: () => i18n._('This password has appeared in a data breach. Choose another.'),
  same_password: () => i18n._('That’s already your password. Choose a new one.'),
  otp_expired: linkExpired,
  otp_disabled: noAccount,
  signup_disabled: noAccount,
  sign_up_by_invitation: noAccount,
  account_needs_code: () =>
    i18n._(
      'This address already has an imported account. Ask an owner to turn on “Links and codes by email”, then sign in with a code.',
    ),
  flow_state_not_found: usedElsewhere,
  flow_state_expired: linkExpired,
  flow_state_already_used: linkExpired,
  bad_code_verifier: usedElsewhere,
  pkce_code_verifier_not_found: usedElsewhere,
  link_of_other_browser: otherBrowser,
  no_code: linkExpired,
  // Without a mail server, the email is in the mailbox of the server.
  over_email_send_rate_limit: () =>
    i18n._('A link and a code were sent a moment ago. Use one of them, or try again in a minute.'),
  phone_exists: () => i18n._('This number already has an account. Sign in instead.'),
  phone_not_confirmed: () => i18n._('Confirm your number first: enter the code we texted you.'),
  phone_provider_disabled: () => i18n._('Phone sign-in isn’t available here. Use your email.'),
  email_provider_disabled: () => i18n._('Email sign-in isn’t available here. Choose another way.'),
  sms_send_failed: () => i18n._('We couldn’t text this number. Check it, or choose another way to sign in.'),
  over_sms_send_rate_limit: () =>
    i18n._('We just texted you a code. Check your messages, or try again in a minute.'),
  email_address_not_authorized: () =>
    i18n._('The server can’t send email to this address. Contact your administrator.'),
  captcha_failed: () => i18n._('The check for bots failed. Reload the page and try again.'),
  provider_disabled: methodUnavailable,
  oauth_provider_not_supported: methodUnavailable,
  bad_oauth_state: signInCanceled,
  bad_oauth_callback: signInCanceled,
  oauth_client_state_expired: signInCanceled,
  oauth_client_state_not_found: signInCanceled,
  access_denied: () => i18n._('Sign-in was canceled. Nothing has changed.'),
  provider_email_needs_verification: () =>
    i18n._('That account’s email isn’t confirmed yet. Open the email we sent to it, then try again.'),
})
