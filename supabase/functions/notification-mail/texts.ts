import { findLanguage, type Language } from '../../../wire/languages.ts'

/** The texts of mails and of the page on which people unsubscribe. */
interface Texts {
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
  invitation: {
    subject(person: string, workspace: string): string
    about(workspace: string): string
    open: string
    starts(time: string): string
    expires(date: string): string
    code(code: string): string
    unknown(person: string): string
  }
  recovery: {
    subject: string
    used(time: string): string
    effect: string
    remaining(count: number): string
    open: string
    notYou: string
  }
  /** The mails about the deletion of an account. */
  deletion: {
    subject: string
    requested(time: string): string
    due(time: string): string
    keep: string
    notYou: string
    doneSubject: string
    done: string
  }
}

const within = (workspace: string | null): string => (workspace === null ? '' : ` in ${workspace}`)

const english: Texts = {
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
  invitation: {
    subject: (person, workspace) => `${person} invited you to ${workspace}`,
    about: (workspace) =>
      `${workspace} uses Linnet, a messenger for teams, to talk and share files. Open the invitation to choose your name and join.`,
    open: 'Open the invitation',
    starts: (time) => `You can join from ${time}.`,
    expires: (date) => `You can use it until ${date}.`,
    code: (code) => `If Linnet asks you for a code, enter ${code} within an hour.`,
    unknown: (person) =>
      `Don’t know ${person}? You can ignore this email: nobody can join without this link or code.`,
  },
  recovery: {
    subject: 'A recovery code was used for your account',
    used: (time) => `Someone signed in to your account with a recovery code on ${time}.`,
    effect:
      'Your second factor was removed, and all other devices were signed out. Set up a new second factor.',
    remaining: (count) =>
      count === 1 ? 'You have 1 recovery code left.' : `You have ${count} recovery codes left.`,
    open: 'Set up a second factor',
    notYou:
      'If this wasn’t you, someone else can read your email or knows your password. Change your password, sign out all other sessions in your settings, and contact an owner of your workspace.',
  },
  deletion: {
    subject: 'Your account will be deleted',
    requested: (time) =>
      `The deletion of your account was requested on ${time}. All your devices were signed out.`,
    due: (time) => `Your account will be deleted on ${time}. Until then, you can sign in and keep it.`,
    keep: 'Sign in to keep your account',
    notYou:
      'If this wasn’t you, sign in and keep your account. Then change your password and contact an owner of your workspace.',
    doneSubject: 'Your account was deleted',
    done: 'Your account and your personal data were deleted, as you requested. This is the last email about it.',
  },
}

const german: Texts = {
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
  invitation: {
    subject: (person, workspace) => `${person} hat dich zu ${workspace} eingeladen`,
    about: (workspace) =>
      `${workspace} nutzt Linnet, einen Messenger für Teams, um sich auszutauschen und Dateien zu teilen. Öffne die Einladung, um deinen Namen anzugeben und beizutreten.`,
    open: 'Einladung öffnen',
    starts: (time) => `Du kannst ab dem ${time} beitreten.`,
    expires: (date) => `Du kannst sie bis ${date} nutzen.`,
    code: (code) => `Wenn Linnet dich nach einem Code fragt, gib innerhalb einer Stunde ${code} ein.`,
    unknown: (person) =>
      `Du kennst ${person} nicht? Dann kannst du diese E-Mail ignorieren: Ohne diesen Link oder Code kann niemand beitreten.`,
  },
  recovery: {
    subject: 'Für dein Konto wurde ein Wiederherstellungscode verwendet',
    used: (time) => `Jemand hat sich am ${time} mit einem Wiederherstellungscode in deinem Konto angemeldet.`,
    effect:
      'Dein zweiter Faktor wurde entfernt, und alle anderen Geräte wurden abgemeldet. Richte einen neuen ein.',
    remaining: (count) =>
      count === 1
        ? 'Du hast noch 1 Wiederherstellungscode.'
        : `Du hast noch ${count} Wiederherstellungscodes.`,
    open: 'Zweiten Faktor einrichten',
    notYou:
      'Wenn du das nicht warst, kann jemand anderes deine E-Mails lesen oder kennt dein Passwort. Ändere dein Passwort, melde in den Einstellungen alle anderen Sitzungen ab und wende dich an einen Inhaber deines Arbeitsbereichs.',
  },
  deletion: {
    subject: 'Dein Konto wird gelöscht',
    requested: (time) =>
      `Am ${time} wurde die Löschung deines Kontos beantragt. Alle deine Geräte wurden abgemeldet.`,
    due: (time) => `Dein Konto wird am ${time} gelöscht. Bis dahin kannst du dich anmelden und es behalten.`,
    keep: 'Anmelden und Konto behalten',
    notYou:
      'Wenn du das nicht warst, melde dich an und behalte dein Konto. Ändere dann dein Passwort und wende dich an einen Inhaber deines Arbeitsbereichs.',
    doneSubject: 'Dein Konto wurde gelöscht',
    done: 'Dein Konto und deine persönlichen Daten wurden gelöscht, wie du es beantragt hast. Das ist die letzte E-Mail dazu.',
  },
}

const TEXTS: Record<Language, Texts> = { en: english, de: german }

/** The texts in a language, with the language that a page names. */
export interface LocalTexts extends Texts {
  language: Language
}

/** The texts for a language tag, or a list of them as browsers send it. */
export function textsOf(tags: string | null): LocalTexts {
  const language = findLanguage(tags?.split(',') ?? [])
  return { ...TEXTS[language], language }
}
