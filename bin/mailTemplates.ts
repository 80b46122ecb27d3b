// Writes supabase/templates: `npm run mail-templates`. Run it after a change of this file or of the layout. Each
// template is a complete file in the layout of the server's own mails, because the auth service reads one file for
// each mail.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderPage, type MailPage } from '../backend/auth/mail/templates/renderPage.ts'

/**
 * Returns the link to the page that completes a confirmation. The page displays the address after `#`; browsers do
 * not send it to a server.
 */
const link = (type: string): string =>
  `{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=${type}&next={{ .RedirectTo }}#{{ .Email }}`
const changeLink = '{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=email_change'

type Name =
  | 'confirmation'
  | 'magic_link'
  | 'recovery'
  | 'email_change'
  | 'reauthentication'
  | 'password_changed'
  | 'email_changed'
  | 'mfa_factor_enrolled'
  | 'mfa_factor_unenrolled'
type Text = Omit<MailPage, 'language' | 'sender'>

/** The texts of one language. */
interface Texts extends Record<Name, Text> {
  sender: string
  /** The confirmation of a new address that a program invites. */
  invitation: Text
}

/** Returns the name of the second factor in a notification, by its type. */
const factor = (app: string, phone: string, key: string): string =>
  `{{ if eq .FactorType "totp" }}${app}{{ else if eq .FactorType "phone" }}${phone}{{ else }}${key}{{ end }}`

const enterCode = 'Or enter this code where you entered your email:'
const factorInEnglish = factor('an authenticator app', 'a phone number', 'a security key or a device')
const takenOver =
  'Wasn’t this you? Then someone else has access to your account. Change your password now, sign out devices you don’t recognize, and tell an owner of your workspace.'
const english: Texts = {
  sender: 'Sent by Linnet at {{ .SiteURL }}.',
  invitation: {
    title: 'Your invitation',
    heading: '{{ .Data.invited_by }} invited you to {{ .Data.workspace_name }}',
    paragraphs: [
      '{{ .Data.workspace_name }} uses Linnet, a messenger for teams, to talk and share files. Open the invitation and enter your name to join. You sign in with your email, {{ .Email }}; you don’t need a password.',
      'The invitation is valid for 7 days.',
    ],
    button: { text: 'Open the invitation', href: link('signup') },
    ifUnexpected:
      'If Linnet asks you for a code, enter {{ .Token }} within an hour.<br>Don’t know {{ .Data.invited_by }}? You can ignore this email: nobody can join without this link or code.',
  },
  confirmation: {
    title: 'Confirm your email',
    paragraphs: [
      'Confirm {{ .Email }} to finish signing up. The link works once and expires after one hour.',
    ],
    button: { text: 'Confirm email', href: link('signup') },
    code: enterCode,
    ifUnexpected:
      'Didn’t request this email? Someone may have entered your address by mistake. You can ignore this email: nobody can sign in without this link or code.',
  },
  magic_link: {
    title: 'Sign in to Linnet',
    paragraphs: ['Use this link to sign in as {{ .Email }}. It works once and expires after one hour.'],
    button: { text: 'Sign in', href: link('email') },
    code: enterCode,
    ifUnexpected:
      'Didn’t request this email? Someone entered your address, to sign in or to invite you again. You can ignore this email: nobody can sign in as you without this link or code.',
  },
  recovery: {
    title: 'Reset your password',
    paragraphs: [
      'Someone requested a new password for {{ .Email }}. If it was you, choose one now. The link works once and expires after one hour.',
    ],
    button: { text: 'Choose a new password', href: link('recovery') },
    code: enterCode,
    ifUnexpected: 'Didn’t request this email? You can ignore it: your password stays the same.',
  },
  email_change: {
    title: 'Confirm your email change',
    paragraphs: [
      'You asked to sign in to Linnet with {{ .NewEmail }} instead of {{ .Email }}. The change takes effect once you’ve confirmed both addresses. The link works once and expires after one hour.',
    ],
    button: { text: 'Confirm this address', href: changeLink },
    code: 'Or enter this code in your settings:',
    ifUnexpected:
      'Didn’t ask for this change? Don’t confirm it. Change your password and sign out devices you don’t recognize: in your settings, under “Account and security”.',
  },
  reauthentication: {
    title: 'Confirm that it’s you',
    paragraphs: [],
    code: 'Enter this code in Linnet to continue:',
    ifUnexpected:
      'Didn’t request this code? Then someone else may be signed in to your account. Change your password and sign out devices you don’t recognize: in your settings, under “Account and security”.',
  },
  password_changed: {
    title: 'Your password was changed',
    paragraphs: [
      '{{ .Email }} has a new password. The old one no longer works.',
      'Wasn’t this you? Then someone else has access to your account or your email. Open Linnet at {{ .SiteURL }}, reset your password, and tell an owner of your workspace.',
    ],
  },
  email_changed: {
    title: 'Your email was changed',
    paragraphs: [
      'You now sign in to Linnet as {{ .Email }}. You can no longer sign in with {{ .OldEmail }}.',
      'Wasn’t this you? Then someone else has access to your account. Tell an owner of your workspace now.',
    ],
  },
  mfa_factor_enrolled: {
    title: 'A two-factor method was added',
    paragraphs: [
      `A second factor was added for {{ .Email }}: ${factorInEnglish}. You now need a second factor to sign in.`,
      takenOver,
    ],
  },
  mfa_factor_unenrolled: {
    title: 'A two-factor method was removed',
    paragraphs: [`A second factor was removed for {{ .Email }}: ${factorInEnglish}.`, takenOver],
  },
}

const enterCodeInGerman = 'Oder gib diesen Code dort ein, wo du deine E-Mail-Adresse eingegeben hast:'
const factorInGerman = factor(
  'eine Authenticator-App',
  'eine Telefonnummer',
  'ein Sicherheitsschlüssel oder ein Gerät',
)
const takenOverInGerman =
  'Du warst das nicht? Dann hat jemand anderes Zugriff auf dein Konto. Ändere sofort dein Passwort, melde Geräte ab, die du nicht kennst, und sag einem Inhaber deines Arbeitsbereichs Bescheid.'
const german: Texts = {
  sender: 'Diese E-Mail kommt von Linnet ({{ .SiteURL }}).',
  invitation: {
    title: 'Deine Einladung',
    heading: '{{ .Data.invited_by }} hat dich zu {{ .Data.workspace_name }} eingeladen',
    paragraphs: [
      '{{ .Data.workspace_name }} nutzt Linnet, einen Messenger für Teams, um sich auszutauschen und Dateien zu teilen. Öffne die Einladung und gib deinen Namen an, um beizutreten. Du meldest dich mit deiner E-Mail-Adresse {{ .Email }} an und brauchst kein Passwort.',
      'Die Einladung gilt 7 Tage.',
    ],
    button: { text: 'Einladung öffnen', href: link('signup') },
    ifUnexpected:
      'Wenn Linnet dich nach einem Code fragt, gib innerhalb einer Stunde {{ .Token }} ein.<br>Du kennst {{ .Data.invited_by }} nicht? Dann kannst du diese E-Mail ignorieren: Ohne diesen Link oder Code kann niemand beitreten.',
  },
  confirmation: {
    title: 'E-Mail-Adresse bestätigen',
    paragraphs: [
      'Bestätige {{ .Email }}, um die Registrierung abzuschließen. Der Link gilt eine Stunde und funktioniert nur einmal.',
    ],
    button: { text: 'E-Mail-Adresse bestätigen', href: link('signup') },
    code: enterCodeInGerman,
    ifUnexpected:
      'Du hast diese E-Mail nicht angefordert? Vielleicht hat jemand deine Adresse aus Versehen eingegeben. Du kannst diese E-Mail ignorieren: Ohne diesen Link oder Code kann sich niemand anmelden.',
  },
  magic_link: {
    title: 'Bei Linnet anmelden',
    paragraphs: [
      'Mit diesem Link meldest du dich als {{ .Email }} an. Er gilt eine Stunde und funktioniert nur einmal.',
    ],
    button: { text: 'Anmelden', href: link('email') },
    code: enterCodeInGerman,
    ifUnexpected:
      'Du hast diese E-Mail nicht angefordert? Jemand hat deine Adresse eingegeben, um sich anzumelden oder dich erneut einzuladen. Du kannst diese E-Mail ignorieren: Ohne diesen Link oder Code kann sich niemand als du anmelden.',
  },
  recovery: {
    title: 'Passwort zurücksetzen',
    paragraphs: [
      'Jemand hat ein neues Passwort für {{ .Email }} angefordert. Wenn du das warst, wähle jetzt eines. Der Link gilt eine Stunde und funktioniert nur einmal.',
    ],
    button: { text: 'Neues Passwort wählen', href: link('recovery') },
    code: enterCodeInGerman,
    ifUnexpected:
      'Du hast diese E-Mail nicht angefordert? Du kannst sie ignorieren: Dein Passwort bleibt unverändert.',
  },
  email_change: {
    title: 'Adressänderung bestätigen',
    paragraphs: [
      'Du hast angegeben, dass du dich bei Linnet künftig mit {{ .NewEmail }} statt mit {{ .Email }} anmelden möchtest. Die Änderung gilt, sobald du beide Adressen bestätigt hast. Der Link gilt eine Stunde und funktioniert nur einmal.',
    ],
    button: { text: 'Diese Adresse bestätigen', href: changeLink },
    code: 'Oder gib diesen Code in deinen Einstellungen ein:',
    ifUnexpected:
      'Du hast diese Änderung nicht angefordert? Dann bestätige sie nicht. Ändere dein Passwort und melde Geräte ab, die du nicht kennst. Beides geht in den Einstellungen unter „Konto und Sicherheit“.',
  },
  reauthentication: {
    title: 'Bestätige, dass du es bist',
    paragraphs: [],
    code: 'Gib diesen Code in Linnet ein, um fortzufahren:',
    ifUnexpected:
      'Du hast diesen Code nicht angefordert? Dann ist vielleicht jemand anderes in deinem Konto angemeldet. Ändere dein Passwort und melde Geräte ab, die du nicht kennst. Beides geht in den Einstellungen unter „Konto und Sicherheit“.',
  },
  password_changed: {
    title: 'Dein Passwort wurde geändert',
    paragraphs: [
      'Für {{ .Email }} gilt ein neues Passwort. Das alte funktioniert nicht mehr.',
      'Du warst das nicht? Dann hat jemand anderes Zugriff auf dein Konto oder deine E-Mails. Öffne Linnet unter {{ .SiteURL }}, setze dein Passwort zurück und sag einem Inhaber deines Arbeitsbereichs Bescheid.',
    ],
  },
  email_changed: {
    title: 'Deine E-Mail-Adresse wurde geändert',
    paragraphs: [
      'Du meldest dich jetzt mit {{ .Email }} bei Linnet an. Mit {{ .OldEmail }} kannst du dich nicht mehr anmelden.',
      'Du warst das nicht? Dann hat jemand anderes Zugriff auf dein Konto. Sag einem Inhaber deines Arbeitsbereichs sofort Bescheid.',
    ],
  },
  mfa_factor_enrolled: {
    title: 'Eine Zwei-Faktor-Methode wurde hinzugefügt',
    paragraphs: [
      `Für {{ .Email }} wurde ein zweiter Faktor hinzugefügt: ${factorInGerman}. Zum Anmelden brauchst du jetzt einen zweiten Faktor.`,
      takenOverInGerman,
    ],
  },
  mfa_factor_unenrolled: {
    title: 'Eine Zwei-Faktor-Methode wurde entfernt',
    paragraphs: [`Für {{ .Email }} wurde ein zweiter Faktor entfernt: ${factorInGerman}.`, takenOverInGerman],
  },
}

/** By the languages of the interface (wire/languages.ts). */
const texts = { en: english, de: german }
type Language = keyof typeof texts

/** Returns one template with the mail in each language. The metadata of the account contains the recipient's language. */
function inEachLanguage(render: (language: Language) => string): string {
  const others = (Object.keys(texts) as Language[]).filter((language) => language !== 'en')
  const branches = others.map(
    (language) => `if eq .Data.language "${language}" }}${render(language)}{{ else `,
  )
  return `{{ ${branches.join('')}}}${render('en')}{{ end }}`
}

const page = (language: Language, name: keyof Omit<Texts, 'sender'>): string =>
  renderPage({ ...texts[language][name], sender: texts[language].sender, language })

/** A new address gets an account when it is invited. */
const invitationOrPage = (language: Language, name: Name): string =>
  name === 'confirmation'
    ? `{{ if .Data.invited_by }}${page(language, 'invitation')}{{ else }}${page(language, name)}{{ end }}`
    : page(language, name)

const names = Object.keys(english).filter((name) => name !== 'sender' && name !== 'invitation') as Name[]

/** The templates by their names in supabase/templates. */
export const mailTemplates = Object.fromEntries(
  names.map((name) => [name, inEachLanguage((language) => invitationOrPage(language, name))]),
) as Record<Name, string>

export async function main(_args: string[], root: string): Promise<number> {
  for (const [name, html] of Object.entries(mailTemplates))
    writeFileSync(join(root, 'supabase/templates', `${name}.html`), html)
  return 0
}
