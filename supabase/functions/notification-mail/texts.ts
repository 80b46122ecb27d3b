/** The texts of mails and of the page on which people unsubscribe. */
export interface Texts {
  language: string
  /** For dates. */
  locale: string
  mention(author: string, channel: string): string
  direct(count: number, author: string): string
  several(count: number, where: string): string
  more(count: number): string
  open: string
  openLinnet: string
  settings: string
  unsubscribe: string
  reason(workspace: string, minutes: number): string
  confirmTitle: string
  /** The name of the workspace; null: its reader is no longer a member. */
  confirm(workspace: string | null): string
  confirmButton: string
  doneTitle: string
  done(workspace: string | null): string
  badLinkTitle: string
  badLink: string
}

const within = (workspace: string | null): string => (workspace === null ? '' : ` in ${workspace}`)

const english: Texts = {
  language: 'en',
  locale: 'en-GB',
  mention: (author, channel) => `${author} mentioned you in ${channel}`,
  direct: (count, author) =>
    count === 1 ? `${author} sent you a message` : `${count} unread messages from ${author}`,
  several: (count, where) => `${count} unread ${count === 1 ? 'message' : 'messages'} in ${where}`,
  more: (count) => `and ${count} more`,
  open: 'Open message',
  openLinnet: 'Open Linnet',
  settings: 'Notification settings',
  unsubscribe: 'Unsubscribe',
  reason: (workspace, minutes) =>
    `You’re getting this email because you’re a member of ${workspace}. Linnet emails you about mentions and direct messages that are still unread after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Replies to this email aren’t read.`,
  confirmTitle: 'Unsubscribe from emails',
  confirm: (workspace) => `Stop emails about unread messages${within(workspace)}?`,
  confirmButton: 'Unsubscribe',
  doneTitle: 'You’re unsubscribed',
  done: (workspace) =>
    `Linnet no longer emails you about unread messages${within(workspace)}. You can turn these emails on again in your notification settings.`,
  badLinkTitle: 'This link doesn’t work',
  badLink:
    'Use the link from a newer email, or turn these emails off in your notification settings in Linnet.',
}

const german: Texts = {
  language: 'de',
  locale: 'de-DE',
  mention: (author, channel) => `${author} hat dich in ${channel} erwähnt`,
  direct: (count, author) =>
    count === 1
      ? `${author} hat dir eine Nachricht gesendet`
      : `${count} ungelesene Nachrichten von ${author}`,
  several: (count, where) => `${count} ungelesene ${count === 1 ? 'Nachricht' : 'Nachrichten'} in ${where}`,
  more: (count) => `und ${count} weitere`,
  open: 'Nachricht öffnen',
  openLinnet: 'Linnet öffnen',
  settings: 'Benachrichtigungen einstellen',
  unsubscribe: 'Abbestellen',
  reason: (workspace, minutes) =>
    `Du bekommst diese E-Mail, weil du Mitglied von ${workspace} bist. Linnet informiert dich per E-Mail über Erwähnungen und Direktnachrichten, die nach ${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'} noch ungelesen sind. Antworten auf diese E-Mail werden nicht gelesen.`,
  confirmTitle: 'E-Mails abbestellen',
  confirm: (workspace) => `Keine E-Mails mehr über ungelesene Nachrichten${within(workspace)}?`,
  confirmButton: 'Abbestellen',
  doneTitle: 'E-Mails abbestellt',
  done: (workspace) =>
    `Du bekommst keine E-Mails mehr über ungelesene Nachrichten${within(workspace)}. In deinen Benachrichtigungseinstellungen kannst du sie wieder einschalten.`,
  badLinkTitle: 'Dieser Link funktioniert nicht',
  badLink:
    'Verwende den Link aus einer neueren E-Mail oder schalte diese E-Mails in Linnet in deinen Benachrichtigungseinstellungen aus.',
}

export function textsOf(language: string): Texts {
  return language === 'de' ? german : english
}
