import { i18n } from '@lingui/core'

/** Failures carry their sentence, which needs an active language. */
export function activateEnglish(): void {
  i18n.setMessagesCompiler((message) => [message])
  i18n.loadAndActivate({ locale: 'en', messages: {} })
}
