import { findLanguage, type Language } from './languages.ts'

/** Texts of notifications: neither the service worker nor the function that sends them has message catalogs. */
interface PushWording {
  testTitle: string
  testBody: string
  unreadableTitle: string
  unreadableBody: string
  markRead: string
  reminderTitle: string
  reminderBody: string
  hiddenReminderBody: string
}

const wordings: Record<Language, PushWording> = {
  en: {
    testTitle: 'Test notification',
    testBody: 'Linnet can notify you on this device.',
    unreadableTitle: 'Linnet',
    unreadableBody: 'You have new messages.',
    markRead: 'Mark as read',
    reminderTitle: 'Reminder',
    reminderBody: 'A reminder of a message is due.',
    hiddenReminderBody: 'A reminder is due.',
  },
  de: {
    testTitle: 'Testbenachrichtigung',
    testBody: 'Linnet kann dich auf diesem Gerät benachrichtigen.',
    unreadableTitle: 'Linnet',
    unreadableBody: 'Du hast neue Nachrichten.',
    markRead: 'Als gelesen markieren',
    reminderTitle: 'Erinnerung',
    reminderBody: 'Eine Erinnerung an eine Nachricht ist fällig.',
    hiddenReminderBody: 'Eine Erinnerung ist fällig.',
  },
}

/** The texts in the language of the interface; in English if there is no translation. */
export function pushWording(language: string): PushWording {
  return wordings[findLanguage([language])]
}
