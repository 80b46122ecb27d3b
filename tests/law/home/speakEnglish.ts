import { i18n } from '@lingui/core'

/** Failures are made with their sentences, and sentences need a language. */
export function speakEnglish(): void {
  i18n.setMessagesCompiler((message) => [message])
  i18n.loadAndActivate({ locale: 'en', messages: {} })
}
