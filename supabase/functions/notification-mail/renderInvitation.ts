import { cutText } from '../../../wire/texts.ts'
import { escapeHtml, page, styles } from './renderMail.ts'

/** What the mail of an invitation contains, as `claim_invitations` returns it. */
export interface InvitationContent {
  /** The name of its author. */
  invited_by: string
  workspace: string
  language: string
  expires_at: string
}

/** What opens the invitation. The sign-in link, valid for an hour, opens it without another mail. */
export interface InvitationLinks {
  url: string
  /** The code of the sign-in link; null: the link does not sign in. */
  code: string | null
}

const english = {
  language: 'en',
  locale: 'en-GB',
  subject: (person: string, workspace: string) => `${person} invited you to ${workspace}`,
  about: (workspace: string) =>
    `${workspace} uses Linnet, a messenger for teams, to talk and share files. Open the invitation to choose your name and join.`,
  open: 'Open the invitation',
  expires: (date: string) => `You can use it until ${date}.`,
  code: (code: string) => `If Linnet asks you for a code, enter ${code} within an hour.`,
  unknown: (person: string) =>
    `Don’t know ${person}? You can ignore this email: nobody joins without this link or code.`,
}

const german: typeof english = {
  language: 'de',
  locale: 'de-DE',
  subject: (person, workspace) => `${person} hat dich zu ${workspace} eingeladen`,
  about: (workspace) =>
    `${workspace} nutzt Linnet, einen Messenger für Teams, um sich auszutauschen und Dateien zu teilen. Öffne die Einladung, um deinen Namen anzugeben und beizutreten.`,
  open: 'Einladung öffnen',
  expires: (date) => `Du kannst sie bis ${date} nutzen.`,
  code: (code) => `Wenn Linnet dich nach einem Code fragt, gib innerhalb einer Stunde ${code} ein.`,
  unknown: (person) =>
    `Du kennst ${person} nicht? Dann kannst du diese E-Mail ignorieren: Ohne diesen Link oder Code tritt niemand bei.`,
}

const maxSubjectCharacters = 150

/** The mail of an invitation, as HTML and as plain text. */
export function renderInvitation(
  content: InvitationContent,
  { url, code }: InvitationLinks,
): { subject: string; html: string; plain: string } {
  const texts = content.language === 'de' ? german : english
  const title = texts.subject(content.invited_by, content.workspace)
  const expires = texts.expires(
    new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(
      new Date(content.expires_at),
    ),
  )
  const about = texts.about(content.workspace)
  const small = [expires, ...(code === null ? [] : [texts.code(code)]), texts.unknown(content.invited_by)]
  const html = `<h1 style="${styles.heading}">${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p style="margin: 28px 0"><a class="button" href="${escapeHtml(url)}" style="${styles.button}">${escapeHtml(texts.open)}</a></p>
<p class="muted line" style="${styles.footer}">${small.map(escapeHtml).join('<br />\n')}</p>`
  return {
    subject: cutText(title, maxSubjectCharacters, '…'),
    html: page(texts.language, title, html),
    plain: [title, '', about, '', `${texts.open}:`, url, '', ...small, ''].join('\n'),
  }
}
