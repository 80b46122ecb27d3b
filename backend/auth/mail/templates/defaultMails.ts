import { renderPage, type MailPage } from './renderPage.ts'

/** Mails that notify users of a change to their account, by the names of `[auth.email.notification.*]`. */
export const notificationNames = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const
export type MailNotification = (typeof notificationNames)[number]

/** All mails of this service, by their names in config.toml. */
export type MailKind =
  | 'invite'
  | 'confirmation'
  | 'recovery'
  | 'magic_link'
  | 'email_change'
  | 'reauthentication'
  | MailNotification

const sender = 'Sent by {{ .SiteURL }}.'
const code = 'Or enter this code where you entered your email:'
const ignore = 'Didn’t request this email? You can ignore it: nobody can sign in without this link or code.'
/** A notification has no link: users should open the site by an address that they know. */
const contactAdministrator =
  'If this wasn’t you, someone else has access to your account. Contact the administrator of {{ .SiteURL }}.'
const factor =
  '{{ if eq .FactorType "totp" }}a code from an authenticator app{{ else if eq .FactorType "phone" }}a code sent to a phone{{ else if eq .FactorType "webauthn" }}a passkey or security key{{ else }}{{ .FactorType }}{{ end }}'

function createMail(subject: string, page: Omit<MailPage, 'sender'>): { subject: string; content: string } {
  return { subject, content: renderPage({ ...page, sender }) }
}

function createButton(text: string): { text: string; href: string } {
  return { text, href: '{{ .ConfirmationURL }}' }
}

function createNotification(
  title: string,
  paragraph: string,
  otherwise = contactAdministrator,
): { subject: string; content: string } {
  return createMail(title, { title, paragraphs: [paragraph, otherwise] })
}

/** Subject and HTML of each mail for which config.toml has no template. */
export const defaultMails: Record<MailKind, { subject: string; content: string }> = {
  invite: createMail('You’re invited', {
    title: 'You’re invited',
    paragraphs: ['You’ve been invited to {{ .SiteURL }}. Accept the invitation to create your account.'],
    button: createButton('Accept the invitation'),
    ifUnexpected:
      'Not expecting an invitation? You can ignore this email: nobody can join without this link.',
  }),
  confirmation: createMail('Confirm your email', {
    title: 'Confirm your email',
    paragraphs: ['Confirm {{ .Email }} to finish signing up.'],
    button: createButton('Confirm email'),
    code,
    ifUnexpected: ignore,
  }),
  recovery: createMail('Reset your password', {
    title: 'Reset your password',
    paragraphs: ['Someone requested a new password for {{ .Email }}. If it was you, choose one now.'],
    button: createButton('Choose a password'),
    code,
    ifUnexpected: 'Didn’t request this email? You can ignore it: your password stays the same.',
  }),
  magic_link: createMail('Your sign-in link', {
    title: 'Sign in',
    paragraphs: ['Use this link to sign in as {{ .Email }}. It works once.'],
    button: createButton('Sign in'),
    code,
    ifUnexpected: ignore,
  }),
  email_change: createMail('Confirm your email change', {
    title: 'Confirm your email change',
    paragraphs: [
      'You asked to sign in with {{ .NewEmail }}{{ if .Email }} instead of {{ .Email }}{{ end }}. Confirm this for {{ .SendingTo }}.',
    ],
    button: createButton('Confirm the change'),
    code,
    ifUnexpected: 'Didn’t ask for this change? Don’t confirm it, and change your password.',
  }),
  reauthentication: createMail('{{ .Token }} is your code', {
    title: 'Confirm that it’s you',
    paragraphs: [],
    code: 'Enter this code to continue:',
    ifUnexpected:
      'Weren’t asked for a code? Someone else may be signed in to your account: change your password.',
  }),
  password_changed: createNotification(
    'Your password was changed',
    '{{ .Email }} has a new password. The old one no longer works.',
    'If this wasn’t you, change your password at {{ .SiteURL }} now: someone else can read your email or is signed in to your account.',
  ),
  email_changed: createNotification(
    'Your email was changed',
    'You now sign in as {{ .Email }}. {{ .OldEmail }} no longer works.',
  ),
  phone_changed: createNotification(
    'Your phone number was changed',
    'The phone number of {{ .Email }} is now +{{ .Phone }}{{ if .OldPhone }}, no longer +{{ .OldPhone }}{{ end }}.',
  ),
  identity_linked: createNotification(
    'A sign-in method was added',
    'You can now also sign in as {{ .Email }} with {{ .Provider }}.',
  ),
  identity_unlinked: createNotification(
    'A sign-in method was removed',
    'You can no longer sign in as {{ .Email }} with {{ .Provider }}.',
  ),
  mfa_factor_enrolled: createNotification(
    'A two-factor method was added',
    `Signing in as {{ .Email }} now also requires ${factor}.`,
  ),
  mfa_factor_unenrolled: createNotification(
    'A two-factor method was removed',
    `Signing in as {{ .Email }} no longer requires ${factor}.`,
  ),
}
