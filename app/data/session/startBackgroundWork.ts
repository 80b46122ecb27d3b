import { i18n } from '@lingui/core'
import { storeAccountLanguage } from '../account/accountLanguage.ts'
import { storeApp } from '../client/startServiceWorker.ts'
import { watchPush } from '../push/watchPush.ts'

/**
 * Starts what a page does once its first messages are displayed, which it would delay: it handles push messages, stores the app for
 * offline use, and stores the language in which the user last opened it for emails.
 */
export async function startBackgroundWork(): Promise<void> {
  watchPush()
  await Promise.allSettled([storeApp(), storeAccountLanguage(i18n.locale)])
}
