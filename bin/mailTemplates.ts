// Writes supabase/templates: `npm run mail-templates`. Run it after a change of this file or of the layout. Each
// template is a complete file in the layout of the server's own mails, because the auth service reads one file for
// each mail.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderPage, type MailPage } from '../backend/auth/mail/templates/renderPage.ts'

const sender = 'Sent by Linnet at {{ .SiteURL }}.'
const code = 'Or enter this code where you entered your email:'

/**
 * Returns the link to the page that completes a confirmation. The page displays the address after `#`; browsers do
 * not send it to a server.
 */
const link = (type: string): string =>
  `{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=${type}&next={{ .RedirectTo }}#{{ .Email }}`

const invitation: MailPage = {
  title: 'Your invitation',
  heading: '{{ .Data.invited_by }} invited you to {{ .Data.workspace_name }}',
  paragraphs: [
    '{{ .Data.workspace_name }} uses Linnet, a messenger for teams, to talk and share files. Open the invitation and enter your name to join. You sign in with your email, {{ .Email }}; you don’t need a password.',
    'The invitation is valid for 7 days.',
  ],
  button: { text: 'Open the invitation', href: link('signup') },
  ifUnexpected:
    'If Linnet asks you for a code, enter {{ .Token }}.<br>Don’t know {{ .Data.invited_by }}? You can ignore this email: nobody joins without this link or code.',
  sender,
}

const confirmation: MailPage = {
  title: 'Confirm your email',
  paragraphs: ['Confirm {{ .Email }} to finish signing up. The link works once, for one hour.'],
  button: { text: 'Confirm email', href: link('signup') },
  code,
  ifUnexpected:
    'Didn’t request this email? Someone may have entered your email by mistake. You can ignore it: nobody can sign in without this link or code.',
  sender,
}

/** The templates by their names in supabase/templates. */
export const mailTemplates: Record<string, string> = {
  // A new address gets an account when it is invited.
  confirmation: `{{ if .Data.invited_by }}${renderPage(invitation)}{{ else }}${renderPage(confirmation)}{{ end }}`,
  magic_link: renderPage({
    title: 'Sign in to Linnet',
    paragraphs: ['Use this link to sign in as {{ .Email }}. It works once, for one hour.'],
    button: { text: 'Sign in', href: link('email') },
    code,
    ifUnexpected:
      'Didn’t request this email? Someone entered your email, to sign in or to invite you again. You can ignore it: nobody can sign in as you without this link or code.',
    sender,
  }),
  recovery: renderPage({
    title: 'Reset your password',
    paragraphs: [
      'Someone requested a new password for {{ .Email }}. If it was you, choose one now. The link works once, for one hour.',
    ],
    button: { text: 'Choose a new password', href: link('recovery') },
    code,
    ifUnexpected: 'Didn’t request this email? You can ignore it: your password stays the same.',
    sender,
  }),
  email_change: renderPage({
    title: 'Confirm your email change',
    paragraphs: [
      'You asked to sign in to Linnet with {{ .NewEmail }} instead of {{ .Email }}. The change takes effect once you’ve confirmed both addresses. The link works once, for one hour.',
    ],
    button: {
      text: 'Confirm this address',
      href: '{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=email_change',
    },
    code: 'Or enter this code in your settings:',
    ifUnexpected:
      'Didn’t ask for this change? Don’t confirm it. Change your password and sign out devices you don’t recognize: in your settings, under “Account and security”.',
    sender,
  }),
}

export async function main(_args: string[], root: string): Promise<number> {
  for (const [name, html] of Object.entries(mailTemplates))
    writeFileSync(join(root, 'supabase/templates', `${name}.html`), html)
  return 0
}
