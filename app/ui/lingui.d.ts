import '@lingui/core'

declare module '@lingui/core' {
  interface I18n {
    /** A text with a context for translators, which the types of the library lack. */
    _(descriptor: { id: string; message: string; context: string }): string
  }
}
