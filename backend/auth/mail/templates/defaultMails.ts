import { renderPage, type MailPage } from './renderPage.ts'

/** Mails that tell people what was done to their account, by the names of `[auth.email.notification.*]`. */
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

/** Mails that the service writes, by the names of config.toml. */
export type MailKind =
  | 'invite'
  | 'confirmation'
  | 'recovery'
  | 'magic_link'
  | 'email_change'
  | 'reauthentication'
  | Notice

const sender = 'Sent by {{ .SiteURL }}.'
const code = 'Or type this code where you were asked for it:'
const ignore = 'If you did not ask for this, leave this mail alone. Nothing happens without you.'
/** A notice has no link: whoever was not the one who did it should go there by a way they know. */
const tellUs =
  'If it was not you, somebody else has got into your account. Tell whoever looks after {{ .SiteURL }}.'
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

/** Subject and HTML of each mail where config.toml has no template of its own. */
export const defaultMails: Record<MailKind, { subject: string; content: string }> = {
  invite: letter("You're invited", {
    title: "You're invited",
    words: ['{{ .SiteURL }} has a place for you. Accept it, and choose how you sign in.'],
    button: link('Accept the invitation'),
    otherwise: 'If you know nothing of this, leave this mail alone. Nothing happens without you.',
  }),
  confirmation: letter('Confirm your address', {
    title: 'Confirm your address',
    words: ['One step is left: confirm that {{ .Email }} is yours.'],
    button: link('Confirm the address'),
    code,
    otherwise: ignore,
  }),
  recovery: letter('Choose a new password', {
    title: 'Choose a new password',
    words: ['Someone asked for a new password for {{ .Email }}. If that was you, choose one now.'],
    button: link('Choose a password'),
    code,
    otherwise: 'If it was not you, leave this mail alone. Your password stays as it is.',
  }),
  magic_link: letter('Your link to sign in', {
    title: 'Sign in',
    words: ['This signs you in as {{ .Email }}. It works once.'],
    button: link('Sign in'),
    code,
    otherwise: ignore,
  }),
  email_change: letter('Confirm your changed address', {
    title: 'Confirm your changed address',
    words: [
      '{{ if .Email }}{{ .Email }} is to become {{ .NewEmail }}.{{ else }}{{ .NewEmail }} is to be your address.{{ end }} Confirm it from here, {{ .SendingTo }}.',
    ],
    button: link('Confirm the change'),
    code,
    otherwise: 'If you did not ask for this, leave this mail alone, and choose a new password.',
  }),
  reauthentication: letter('{{ .Token }} is your code', {
    title: 'Is it you?',
    words: [],
    code: 'Type this code where you were asked for it:',
    otherwise: 'If nobody asked you for a code, someone else may be signed in as you: choose a new password.',
  }),
  password_changed: notice(
    'Your password was changed',
    '{{ .Email }} has a new password. The old one no longer works.',
    'If it was not you, choose another password at {{ .SiteURL }} now: whoever it was can read your mail or is signed in as you.',
  ),
  email_changed: notice(
    'Your address was changed',
    'You now sign in as {{ .Email }}. {{ .OldEmail }} no longer works.',
  ),
  phone_changed: notice(
    'Your phone number was changed',
    '{{ if .OldPhone }}+{{ .Phone }} has taken the place of +{{ .OldPhone }} for {{ .Email }}.{{ else }}+{{ .Phone }} is now the phone number of {{ .Email }}.{{ end }}',
  ),
  identity_linked: notice(
    'A way to sign in was added',
    'You can now also sign in as {{ .Email }} by {{ .Provider }}.',
  ),
  identity_unlinked: notice(
    'A way to sign in was removed',
    'You can no longer sign in as {{ .Email }} by {{ .Provider }}.',
  ),
  mfa_factor_enrolled: notice(
    'A second step was added',
    `Signing in as {{ .Email }} now takes a second step: ${factor}.`,
  ),
  mfa_factor_unenrolled: notice(
    'A second step was removed',
    `Signing in as {{ .Email }} no longer asks for this second step: ${factor}.`,
  ),
}
