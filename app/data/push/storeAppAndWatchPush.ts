import { storeApp } from '../client/startServiceWorker.ts'
import { watchPush } from './watchPush.ts'

/**
 * Starts what a page does with the service worker besides files: it stores the app for offline use, and handles push
 * messages. Called when the first messages are displayed, which it would delay.
 */
export function storeAppAndWatchPush(): Promise<void> {
  watchPush()
  return storeApp()
}
