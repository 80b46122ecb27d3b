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

/** The frame of every mail: warm paper, ink, one column; styles inline, since mail clients drop the rest. */
function page(title: string, inner: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:32px 16px;background:#f8f4ed;color:#2b2621;font:15px/22px Inter,system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:480px;margin:0 auto;padding:28px;background:#fffdf9;border:1px solid #e6ddd0;border-radius:8px">
<h1 style="margin:0 0 12px;font-size:19px;line-height:26px;font-weight:600">${title}</h1>
${inner}
</div>
<p style="max-width:480px;margin:16px auto 0;padding:0 28px;color:#7a7064;font-size:13px;line-height:19px">Sent by {{ .SiteURL }}. If you didn't ask for it, you can leave it be.</p>
</body>
</html>
`
}

function paragraph(words: string): string {
  return `<p style="margin:0 0 16px">${words}</p>`
}

function button(words: string): string {
  return `<p style="margin:0 0 16px"><a href="{{ .ConfirmationURL }}" style="display:inline-block;padding:10px 18px;background:#2b2621;color:#fffdf9;border-radius:8px;text-decoration:none;font-weight:600">${words}</a></p>`
}

const code = `${paragraph('Or type this code:')}
<p style="margin:0 0 4px;font:600 26px/32px ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px">{{ .Token }}</p>`

/** Subject and HTML of each mail where config.toml has no template of its own. */
export const defaultMails: Record<MailKind, { subject: string; content: string }> = {
  invite: {
    subject: "You're invited",
    content: page(
      "You're invited",
      `${paragraph('Follow the link to accept and choose how you sign in.')}${button('Accept the invitation')}`,
    ),
  },
  confirmation: {
    subject: 'Confirm your address',
    content: page(
      'Confirm your address',
      `${paragraph('One step is left: confirm that {{ .Email }} is yours.')}${button('Confirm')}${code}`,
    ),
  },
  recovery: {
    subject: 'Choose a new password',
    content: page(
      'Choose a new password',
      `${paragraph('Someone asked for a new password for {{ .Email }}. The link works once.')}${button('Choose a password')}${code}`,
    ),
  },
  magic_link: {
    subject: 'Your sign-in link',
    content: page(
      'Sign in',
      `${paragraph('The link signs you in as {{ .Email }}. It works once.')}${button('Sign in')}${code}`,
    ),
  },
  email_change: {
    subject: 'Confirm your new address',
    content: page(
      'Confirm your new address',
      `${paragraph('{{ .Email }} is to become {{ .NewEmail }}.')}${button('Confirm the change')}${code}`,
    ),
  },
  reauthentication: {
    subject: '{{ .Token }} is your code',
    content: page(
      'Confirm that it is you',
      `${paragraph('Type this code where you were asked for it:')}
<p style="margin:0 0 4px;font:600 26px/32px ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px">{{ .Token }}</p>`,
    ),
  },
  password_changed: {
    subject: 'Your password was changed',
    content: page(
      'Your password was changed',
      paragraph('The password of {{ .Email }} is a new one. If you did not change it, choose another now.'),
    ),
  },
  email_changed: {
    subject: 'Your address was changed',
    content: page(
      'Your address was changed',
      paragraph('You now sign in with {{ .Email }} instead of {{ .OldEmail }}.'),
    ),
  },
  phone_changed: {
    subject: 'Your telephone number was changed',
    content: page(
      'Your telephone number was changed',
      paragraph(
        '{{ if .OldPhone }}Your number is now {{ .Phone }} instead of {{ .OldPhone }}.{{ else }}Your number is now {{ .Phone }}.{{ end }}',
      ),
    ),
  },
  identity_linked: {
    subject: 'A way to sign in was added',
    content: page(
      'A way to sign in was added',
      paragraph('{{ .Email }} can now sign in with {{ .Provider }} too.'),
    ),
  },
  identity_unlinked: {
    subject: 'A way to sign in was removed',
    content: page(
      'A way to sign in was removed',
      paragraph('{{ .Email }} can no longer sign in with {{ .Provider }}.'),
    ),
  },
  mfa_factor_enrolled: {
    subject: 'A second step was added',
    content: page(
      'A second step was added',
      paragraph('Signing in as {{ .Email }} now asks for a second step ({{ .FactorType }}).'),
    ),
  },
  mfa_factor_unenrolled: {
    subject: 'A second step was removed',
    content: page(
      'A second step was removed',
      paragraph('Signing in as {{ .Email }} no longer asks for this second step ({{ .FactorType }}).'),
    ),
  },
}
