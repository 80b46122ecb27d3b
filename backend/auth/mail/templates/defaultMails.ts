import { renderPage, type MailPage } from './renderPage.ts'

/** Mails that notify users of a change to their account, by the names of `[auth.email.notification.*]`. */
export const notices = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const
export type Notice = (typeof notices)[number]

/** All mails of this service, by their names in config.toml. */
export type MailKind =
  | 'invite'
  | 'confirmation'
  | 'recovery'
  | 'magic_link'
  | 'email_change'
  | 'reauthentication'
  | Notice

const sender = 'Sent by {{ .SiteURL }}.'
const code = 'Or enter this code where you entered your email:'
const ignore = 'Didn’t request this email? You can ignore it: nobody can sign in without this link or code.'
/** A notification has no link: users should open the site by an address that they know. */
const tellUs =
  'If this wasn’t you, someone else has access to your account. Contact the administrator of {{ .SiteURL }}.'
const factor =
  '{{ if eq .FactorType "totp" }}a code from an authenticator app{{ else if eq .FactorType "phone" }}a code sent to a phone{{ else if eq .FactorType "webauthn" }}a passkey or security key{{ else }}{{ .FactorType }}{{ end }}'

function letter(subject: string, page: Omit<MailPage, 'sender'>): { subject: string; content: string } {
  return { subject, content: renderPage({ ...page, sender }) }
}

function link(words: string): { words: string; href: string } {
  return { words, href: '{{ .ConfirmationURL }}' }
}

function notice(title: string, words: string, otherwise = tellUs): { subject: string; content: string } {
  return letter(title, { title, words: [words, otherwise] })
}

/** Subject and HTML of each mail for which config.toml has no template. */
export const defaultMails: Record<MailKind, { subject: string; content: string }> = {
  invite: letter('You’re invited', {
    title: 'You’re invited',
    words: ['You’ve been invited to {{ .SiteURL }}. Accept the invitation to create your account.'],
    button: link('Accept the invitation'),
    otherwise: 'Not expecting an invitation? You can ignore this email: nobody can join without this link.',
  }),
  confirmation: letter('Confirm your email', {
    title: 'Confirm your email',
    words: ['Confirm {{ .Email }} to finish signing up.'],
    button: link('Confirm email'),
    code,
    otherwise: ignore,
  }),
  recovery: letter('Reset your password', {
    title: 'Reset your password',
    words: ['Someone requested a new password for {{ .Email }}. If it was you, choose one now.'],
    button: link('Choose a password'),
    code,
    otherwise: 'Didn’t request this email? You can ignore it: your password stays the same.',
  }),
  magic_link: letter('Your sign-in link', {
    title: 'Sign in',
    words: ['Use this link to sign in as {{ .Email }}. It works once.'],
    button: link('Sign in'),
    code,
    otherwise: ignore,
  }),
  email_change: letter('Confirm your email change', {
    title: 'Confirm your email change',
    words: [
      'You asked to sign in with {{ .NewEmail }}{{ if .Email }} instead of {{ .Email }}{{ end }}. Confirm this for {{ .SendingTo }}.',
    ],
    button: link('Confirm the change'),
    code,
    otherwise: 'Didn’t ask for this change? Don’t confirm it, and change your password.',
  }),
  reauthentication: letter('{{ .Token }} is your code', {
    title: 'Confirm that it’s you',
    words: [],
    code: 'Enter this code to continue:',
    otherwise:
      'Weren’t asked for a code? Someone else may be signed in to your account: change your password.',
  }),
  password_changed: notice(
    'Your password was changed',
    '{{ .Email }} has a new password. The old one no longer works.',
    'If this wasn’t you, change your password at {{ .SiteURL }} now: someone else can read your email or is signed in to your account.',
  ),
  email_changed: notice(
    'Your email was changed',
    'You now sign in as {{ .Email }}. {{ .OldEmail }} no longer works.',
  ),
  phone_changed: notice(
    'Your phone number was changed',
    'The phone number of {{ .Email }} is now +{{ .Phone }}{{ if .OldPhone }}, no longer +{{ .OldPhone }}{{ end }}.',
  ),
  identity_linked: notice(
    'A sign-in method was added',
    'You can now also sign in as {{ .Email }} with {{ .Provider }}.',
  ),
  identity_unlinked: notice(
    'A sign-in method was removed',
    'You can no longer sign in as {{ .Email }} with {{ .Provider }}.',
  ),
  mfa_factor_enrolled: notice(
    'A two-factor method was added',
    `Signing in as {{ .Email }} now also requires ${factor}.`,
  ),
  mfa_factor_unenrolled: notice(
    'A two-factor method was removed',
    `Signing in as {{ .Email }} no longer requires ${factor}.`,
  ),
}
